package rostering

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// FileStore is a [Store] for processes that share a directory, such as a function that
// starts anew for each call.
//
// A value is a file whose name ends in a number. A new value gets the next number by a hard
// link, which only one process can make. So Add is atomic without a lock that a process
// could leave behind.
type FileStore struct{ dir string }

// NewFileStore returns a store in a directory, which is created if it is missing. The files
// are readable only by their owner.
func NewFileStore(dir string) (*FileStore, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("rostering: %w", err)
	}
	return &FileStore{dir}, nil
}

type fileEntry struct {
	Value   string    `json:"value"`
	Expires time.Time `json:"expires"`
}

// Get implements [Store].
func (f *FileStore) Get(ctx context.Context, key string) (string, bool, error) {
	e, _, err := f.newest(ctx, key)
	return e.Value, e.live(), err
}

// Add implements [Store].
func (f *FileStore) Add(ctx context.Context, key, value string, ttl time.Duration) (bool, error) {
	e, number, err := f.newest(ctx, key)
	if err != nil || e.live() {
		return false, err
	}
	return f.write(key, number+1, fileEntry{value, time.Now().Add(ttl)})
}

// Set implements [Store].
func (f *FileStore) Set(ctx context.Context, key, value string, ttl time.Duration) error {
	for {
		_, number, err := f.newest(ctx, key)
		if err != nil {
			return err
		}
		if set, err := f.write(key, number+1, fileEntry{value, time.Now().Add(ttl)}); set || err != nil {
			return err
		}
	}
}

func (e fileEntry) live() bool { return time.Now().Before(e.Expires) }

// newest reads the newest value of a key. Without a value, the number is 0 and the entry
// has expired.
func (f *FileStore) newest(ctx context.Context, key string) (e fileEntry, number int, err error) {
	for ctx.Err() == nil {
		numbers, err := f.numbers(key)
		if number = slices.Max(numbers); err != nil || number == 0 {
			return e, 0, err
		}
		object, err := os.ReadFile(f.path(key, number))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a newer one has replaced it
		}
		if json.Unmarshal(object, &e) != nil {
			e = fileEntry{} // not a file of this store
		}
		return e, number, err
	}
	return e, 0, ctx.Err()
}

// write makes a value the newest, unless the number is taken.
func (f *FileStore) write(key string, number int, e fileEntry) (bool, error) {
	object, err := json.Marshal(e)
	if err != nil {
		return false, err
	}
	temporary, err := os.CreateTemp(f.dir, ".new-*") // readable by its owner alone
	if err != nil {
		return false, err
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	_, err = temporary.Write(object)
	if err := errors.Join(err, temporary.Close()); err != nil {
		return false, err
	}
	if err := os.Link(temporary.Name(), f.path(key, number)); errors.Is(err, fs.ErrExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	numbers, err := f.numbers(key)
	if err != nil {
		return false, err
	}
	newest := slices.Max(numbers)
	for _, n := range numbers {
		if n != 0 && n < newest {
			_ = os.Remove(f.path(key, n))
		}
	}
	// The number of a process that slept since newest may have been taken, and its file
	// removed, long before.
	return newest == number, nil
}

func (f *FileStore) path(key string, number int) string {
	return f.prefix(key) + strconv.Itoa(number)
}

// prefix is the path of the key's files without their number. A hash, because a key may
// be longer than a file's name.
func (f *FileStore) prefix(key string) string {
	return filepath.Join(f.dir, fmt.Sprintf("%x.", sha256.Sum256([]byte(key))))
}

// numbers returns the numbers of the key's files, and always 0, which no file has.
func (f *FileStore) numbers(key string) ([]int, error) {
	numbers := []int{0}
	entries, err := os.ReadDir(f.dir)
	for _, entry := range entries {
		text, found := strings.CutPrefix(filepath.Join(f.dir, entry.Name()), f.prefix(key))
		if number, err := strconv.Atoi(text); found && err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers, err
}
