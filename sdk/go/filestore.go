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
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// FileStore is a [Store] for processes that share a directory, in any of the languages.
//
// A value is a file HASH.N, in which HASH is the key's SHA-256. The highest N counts. A new value
// gets the next number by a hard link, which only one process can create: so Add is atomic
// without a lock that a process could leave behind.
type FileStore struct{ dir string }

// NewFileStore returns a store in a directory, which it creates if necessary. Only their owner
// can read the files.
func NewFileStore(dir string) (*FileStore, error) {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(dir, "probe.tmp.*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return nil, fmt.Errorf("rostering: file store: %w", err) // which names the path
	}
	return &FileStore{dir}, nil
}

const (
	attempts  = 100         // while other processes are faster
	highest   = 1<<53 - 1   // number that every language can count to
	abandoned = time.Minute // the age of a temporary file whose process has died
)

var errBusy = errors.New("other processes keep changing the key")

// Get implements [Store].
func (f *FileStore) Get(ctx context.Context, key string) (string, bool, error) {
	value, _, err := f.newest(ctx, key)
	if value == nil {
		return "", false, err
	}
	return *value, true, err
}

// Add implements [Store].
func (f *FileStore) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	return f.write(ctx, key, value, ttl, true)
}

// Set implements [Store].
func (f *FileStore) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	_, err := f.write(ctx, key, value, ttl, false)
	return err
}

// newest returns the value of a key, or nil, and the number of its file, or zero.
func (f *FileStore) newest(ctx context.Context, key string) (value *string, number uint64, err error) {
	for range attempts {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		numbers, err := f.numbers(key)
		if number = slices.Max(numbers); err != nil || number == 0 {
			return nil, 0, err
		}
		content, err := os.ReadFile(f.path(key, number))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a newer one has replaced it
		}
		return live(string(content)), number, err
	}
	return nil, 0, errBusy
}

// live returns the value in a file, or nil if it has expired or the file is malformed.
func live(content string) *string {
	expiry, value, found := strings.Cut(content, "\n")
	expires, err := strconv.ParseUint(expiry, 10, 63)
	if !found || err != nil || !utf8.ValidString(value) || time.Now().UnixMilli() >= int64(expires) {
		return nil
	}
	return &value
}

// write adds a file with a value; with add, only if the key has none.
func (f *FileStore) write(ctx context.Context, key, value string, ttl time.Duration, add bool) (bool, error) {
	f.removeAbandoned()
	temporary, err := f.create(key, fmt.Sprintf("%d\n%s", time.Now().Add(ttl).UnixMilli(), value))
	defer func() { _ = os.Remove(temporary) }()
	if err != nil {
		return false, err
	}
	for range attempts {
		old, number, err := f.newest(ctx, key)
		if err != nil || add && old != nil {
			return false, err
		}
		err = os.Link(temporary, f.path(key, number+1))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		// Since newest, other processes may have written higher numbers and removed the
		// lower ones: then this link took a number that was used before.
		overtaken, err := f.removeOlder(key, number+1)
		if err != nil || !add || !overtaken {
			return err == nil, err
		}
		_ = os.Remove(f.path(key, number+1))
	}
	return false, errBusy
}

// create writes a temporary file and returns its path. Only its owner can read it.
func (f *FileStore) create(key, content string) (path string, err error) {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // cannot fail
	path = fmt.Sprintf("%stmp.%x", f.prefix(key), random)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return path, err
	}
	_, err = file.WriteString(content)
	return path, errors.Join(err, file.Close())
}

// removeAbandoned removes the temporary files of processes that have died.
func (f *FileStore) removeAbandoned() {
	names, _ := fs.Glob(os.DirFS(f.dir), "*.tmp.*") // unlike filepath.Glob, takes a directory with any name
	for _, name := range names {
		path := filepath.Join(f.dir, name)
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(path)
		}
	}
}

// removeOlder removes the key's files with lower numbers, and reports whether there is a
// higher one.
func (f *FileStore) removeOlder(key string, number uint64) (overtaken bool, err error) {
	numbers, err := f.numbers(key)
	for _, n := range numbers {
		if n != 0 && n < number {
			_ = os.Remove(f.path(key, n))
		}
	}
	return slices.Max(numbers) > number, err
}

func (f *FileStore) path(key string, number uint64) string {
	return f.prefix(key) + strconv.FormatUint(number, 10)
}

// prefix returns the path of the key's files without their number. It has a hash because a key
// may be longer than a file name.
func (f *FileStore) prefix(key string) string {
	return filepath.Join(f.dir, fmt.Sprintf("%x.", sha256.Sum256([]byte(key))))
}

// numbers returns the numbers of the key's files, and 0, which no file has.
func (f *FileStore) numbers(key string) ([]uint64, error) {
	numbers, prefix := []uint64{0}, filepath.Base(f.prefix(key))
	entries, err := os.ReadDir(f.dir)
	for _, entry := range entries {
		text, found := strings.CutPrefix(entry.Name(), prefix)
		number, err := strconv.ParseUint(text, 10, 64)
		if found && err == nil && number <= highest && text[0] != '0' {
			numbers = append(numbers, number)
		}
	}
	return numbers, err
}
