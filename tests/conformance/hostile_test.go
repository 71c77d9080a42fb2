package conformance

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"automatic-rostering/tests/conformance/hostile"
	"automatic-rostering/tests/conformance/hosts"
)

var record = flag.Bool("record", false, "write what TestHostile sees into hostile/recorded.json")

// How calls to hostile servers end is recorded for each library, as redirects are for each host.
func TestHostile(t *testing.T) {
	recorded, err := hostile.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	var mutex sync.Mutex
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		got, err := hostile.Probe(h.Start(t))
		if err != nil {
			t.Error(err)
		}
		mutex.Lock()
		if *record {
			recorded[h.Name] = got
		}
		want := recorded[h.Name]
		mutex.Unlock()
		if !reflect.DeepEqual(got, want) {
			b, _ := json.MarshalIndent(got, "", "\t")
			t.Errorf("hostile/recorded.json does not say what %s does: %s", h.Name, b)
		}
	})
	if *record {
		t.Cleanup(func() { write(t, recorded) })
	}
}

func write(t *testing.T, recorded map[string]hostile.Result) {
	b, err := json.MarshalIndent(recorded, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join(hosts.Root(), "tests/conformance/hostile/recorded.json"), append(b, '\n'), 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}
