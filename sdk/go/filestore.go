package rostering

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// FileStore is a [Store] for processes that share a directory, in any of the languages. Two
// processes that find the same expired value may both add theirs.
type FileStore struct{ dir string }

// NewFileStore returns a store in a directory, which it creates if necessary. Only their owner
// can read the files.
func NewFileStore(dir string) (*FileStore, error) {
	f := &FileStore{dir}
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = f.write("probe", "", 0, func(_, _ string) error { return nil })
	}
	if err != nil {
		return nil, fmt.Errorf("rostering: file store: %w", err) // which names the path
	}
	return f, nil
}

// Get implements [Store].
func (f *FileStore) Get(_ context.Context, key string) (string, bool, error) {
	content, err := readStart(f.path(key), mostValue+100) // more than the longest value and its expiry
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	expiry, value, found := strings.Cut(string(content), "\n")
	expires, malformed := strconv.ParseUint(expiry, 10, 63)
	if err != nil || !found || malformed != nil || len(value) <= mostValue && !utf8.ValidString(value) || time.Now().UnixMilli() >= int64(expires) {
		return "", false, err
	}
	return value, true, nil
}

// Add implements [Store].
func (f *FileStore) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	err := f.write(key, value, ttl, func(temporary, path string) error {
		linked := os.Link(temporary, path)
		if !errors.Is(linked, fs.ErrExist) {
			return linked
		}
		_, found, err := f.Get(ctx, key)
		if found {
			return linked
		}
		if err != nil {
			return err
		}
		_ = os.Remove(path) // its value has expired
		return os.Link(temporary, path)
	})
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// Set implements [Store].
func (f *FileStore) Set(_ context.Context, key, value string, ttl time.Duration) error {
	return f.write(key, value, ttl, replace)
}

// replace retries for half a second, because Windows replaces no file while another process reads it.
func replace(temporary, path string) (err error) {
	for range 20 {
		if err = os.Rename(temporary, path); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	return err
}

// path returns the path of a key's file. It has a hash because a key may be longer than a file
// name.
func (f *FileStore) path(key string) string {
	return filepath.Join(f.dir, fmt.Sprintf("%x", sha256.Sum256([]byte(key))))
}

// write writes a value to a temporary file, which publish then gives the name of the key's file.
func (f *FileStore) write(key, value string, ttl time.Duration, publish func(temporary, path string) error) error {
	f.removeAbandoned()
	path := f.path(key)
	temporary := fmt.Sprintf("%s.tmp.%x", path, rand.Text())
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temporary) }()
	_, err = fmt.Fprintf(file, "%d\n%s", time.Now().Add(ttl).UnixMilli(), value)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return publish(temporary, path)
}

var temporaryName = regexp.MustCompile(`^[0-9a-f]{64}\.tmp\.[0-9a-f]+$`)

// removeAbandoned removes the temporary files of processes that have died.
func (f *FileStore) removeAbandoned() {
	entries, _ := os.ReadDir(f.dir)
	for _, entry := range entries {
		info, err := entry.Info()
		isOurs := err == nil && info.Mode().IsRegular() && temporaryName.MatchString(entry.Name())
		if isOurs && time.Since(info.ModTime()) > time.Minute {
			_ = os.Remove(filepath.Join(f.dir, entry.Name()))
		}
	}
}
