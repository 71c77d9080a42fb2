package conformance

import (
	"encoding/json"
	"reflect"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/redirect"
)

// What hosts do with redirects is recorded. One that does anything else is a failure, so
// that the record, and what is written about it, stays true.
func TestRedirects(t *testing.T) {
	recorded, err := redirect.Recorded()
	if err != nil {
		t.Fatal(err)
	}
	hosts.Each(t, func(t *testing.T, language string, all []hosts.Host) {
		checkRedirects(t, all[0], recorded[language]) // what HTTP client it has is the SDK's matter
	})
}

func checkRedirects(t *testing.T, h hosts.Host, want redirect.Result) {
	got, err := redirect.Probe(h.Start(t))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		b, _ := json.Marshal(got)
		t.Errorf("redirect/recorded.json does not say what it does: %s", b)
	}
}
