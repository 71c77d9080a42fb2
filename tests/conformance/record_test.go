package conformance

import (
	_ "embed"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write what the hosts do into recorded.json, and the tables of pages")

// record is what hosts and libraries do, by their names.
type record struct {
	Hosts     map[string]string   `json:"hosts"`     // the versions of what runs on raw hosts
	Libraries map[string]string   `json:"libraries"` // and of what runs on libraries
	Redirects map[string]outcomes `json:"redirects"` // of raw hosts, by language
	Hostile   map[string]outcomes `json:"hostile"`   // of libraries
}

// outcomes are how calls end if the token endpoint or the service does something, by what it does.
type outcomes struct {
	Token   map[string]string `json:"token"`
	Service map[string]string `json:"service"`
}

//go:embed recorded.json
var recordedJSON []byte

var (
	recordMutex sync.Mutex
	recorded    = func() (r record) {
		if err := json.Unmarshal(recordedJSON, &r); err != nil {
			panic(err)
		}
		return r
	}()
)

// isRecorded reports whether a host does what a part of the record says.
func isRecorded[T any](of map[string]T, name string, got T) bool {
	recordMutex.Lock()
	defer recordMutex.Unlock()
	return reflect.DeepEqual(got, of[name])
}

// compareRecord compares what a host does with a part of the record, or writes it.
func compareRecord[T any](t *testing.T, of map[string]T, name string, got T) {
	t.Helper()
	if isRecorded(of, name, got) {
		return
	}
	if !*update {
		t.Errorf("recorded.json does not say what %s does: %v; make matrix writes it", name, got)
		return
	}
	recordMutex.Lock()
	defer recordMutex.Unlock()
	of[name] = got
	b, err := json.MarshalIndent(recorded, "", "\t")
	if err == nil {
		err = os.WriteFile("recorded.json", append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
