package rostering

import (
	"context"
	"errors"
	"fmt"
	"os"

	extism "github.com/extism/go-sdk"
)

// OpenFile is [Open] for a plugin in a file.
func OpenFile(ctx context.Context, path string, config Config, options ...Option) (*Client, error) {
	wasm, err := read(path)
	if err != nil {
		return nil, err
	}
	return Open(ctx, wasm, config, options...)
}

// Open makes an instance of the plugin that sends its requests itself. It sends
// nothing yet: a wrong config shows at the first call.
func Open(ctx context.Context, wasm []byte, config Config, options ...Option) (*Client, error) {
	s := newSettings(options)
	if s.http != nil {
		return nil, errors.New("rostering: open: a Client sends with http.DefaultClient; WithHTTPClient is for others")
	}
	compiled, plugins, err := s.open(ctx, manifest(wasm, &config, config.hosts()), 1)
	if err != nil {
		return nil, err
	}
	return newClient(compiled, plugins[0], config.timeout()), nil
}

// OpenDriverFile is [OpenDriver] for a plugin in a file.
func OpenDriverFile(ctx context.Context, path string, config Config, options ...Option) (*Driver, error) {
	wasm, err := read(path)
	if err != nil {
		return nil, err
	}
	return OpenDriver(ctx, wasm, config, options...)
}

// OpenDriver makes an instance of the plugin whose requests the driver sends. It
// sends nothing yet: a wrong config shows at the first call.
func OpenDriver(ctx context.Context, wasm []byte, config Config, options ...Option) (*Driver, error) {
	driven, err := openDriven(ctx, wasm, &config, 1, options)
	if err != nil {
		return nil, err
	}
	return &Driver{driven}, nil
}

// OpenPoolFile is [OpenPool] for a plugin in a file.
func OpenPoolFile(ctx context.Context, path string, size int, config Config, options ...Option) (*Pool, error) {
	wasm, err := read(path)
	if err != nil {
		return nil, err
	}
	return OpenPool(ctx, wasm, size, config, options...)
}

// OpenPool makes size instances of the plugin, which is compiled once. It sends
// nothing yet: a wrong config shows at the first call.
func OpenPool(ctx context.Context, wasm []byte, size int, config Config, options ...Option) (*Pool, error) {
	if size < 1 {
		return nil, fmt.Errorf("rostering: open: a pool of %d instances can do nothing", size)
	}
	driven, err := openDriven(ctx, wasm, &config, size, options)
	if err != nil {
		return nil, err
	}
	driven.shareToken()
	return &Pool{driven}, nil
}

func read(path string) ([]byte, error) {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("rostering: read the plugin: %w", err)
	}
	return wasm, nil
}

// manifest has no Timeout: once it has passed, go-sdk has closed the instance for
// good, and the token is lost. A context ends a call as well; see [Client.run].
// Nor has it a Memory: to set one of its limits is to set the others to zero, and
// without vars the plugin cannot keep a token.
func manifest(wasm []byte, config *Config, allowedHosts []string) extism.Manifest {
	return extism.Manifest{
		Wasm:         []extism.Wasm{extism.WasmData{Data: wasm}},
		Config:       config.keys(),
		AllowedHosts: allowedHosts,
	}
}

// open compiles the plugin and makes some instances of it.
func (s *settings) open(ctx context.Context, m extism.Manifest, size int) (*compiled, []*extism.Plugin, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("rostering: open: %w", err)
	}
	c, err := s.load(ctx, m)
	if err != nil {
		return nil, nil, fmt.Errorf("rostering: open: %w", err)
	}
	plugins := make([]*extism.Plugin, size)
	for i := range plugins {
		if plugins[i], err = c.instance(ctx, s.log); err != nil {
			return nil, nil, fmt.Errorf("rostering: open: %w", errors.Join(err, c.close(ctx)))
		}
	}
	return c, plugins, nil
}
