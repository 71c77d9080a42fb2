package rostering

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

// load compiles the plugin, or takes what an earlier run compiled. A folder that
// the caller named must work. Without the usual one, compiling takes some tens of
// milliseconds, which is no reason to give up.
func (s *settings) load(ctx context.Context, m extism.Manifest) (*compiled, error) {
	switch {
	case s.cacheDir == nil:
		c, err := loadFromUserCache(ctx, m)
		if err == nil {
			return c, nil
		}
		s.log(slog.LevelWarn, "the compiled plugin is kept in memory alone: "+err.Error())
	case *s.cacheDir != "":
		return loadFrom(ctx, m, *s.cacheDir)
	}
	return compile(ctx, m, wazero.NewCompilationCache())
}

func loadFromUserCache(ctx context.Context, m extism.Manifest) (*compiled, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	return loadFrom(ctx, m, filepath.Join(dir, "automatic-rostering", "wazero"))
}

func loadFrom(ctx context.Context, m extism.Manifest, dir string) (*compiled, error) {
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, err
	}
	return compile(ctx, m, cache)
}
