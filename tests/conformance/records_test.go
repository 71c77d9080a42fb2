package conformance

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write what the hosts do into recorded, and the tables of pages")

var records sync.Mutex

// readRecord reads a file of recorded, by the names of hosts or languages.
func readRecord[T any](t *testing.T, file string) (record map[string]T) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("recorded", file))
	if err == nil {
		err = json.Unmarshal(b, &record)
	}
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// isRecorded reports whether a host does what the record says.
func isRecorded[T any](t *testing.T, file, name string, got T) bool {
	records.Lock()
	defer records.Unlock()
	return reflect.DeepEqual(got, readRecord[T](t, file)[name])
}

// compareRecord compares what a host does with the record, or writes it.
func compareRecord[T any](t *testing.T, file, name string, got T) {
	t.Helper()
	records.Lock()
	defer records.Unlock()
	record := readRecord[T](t, file)
	if reflect.DeepEqual(got, record[name]) {
		return
	}
	if !*update {
		b, _ := json.Marshal(got)
		t.Errorf("recorded/%s does not say what %s does: %s; make matrix writes it", file, name, b)
		return
	}
	record[name] = got
	b, err := json.MarshalIndent(record, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join("recorded", file), append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
