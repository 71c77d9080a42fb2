package rostering_test

import (
	"fmt"
	"testing"

	"automatic-rostering.example/rostering"
)

// Each path has its own step, of which only some are kept.
func TestManyDifferentCalls(t *testing.T) {
	release := make(chan struct{})
	close(release)
	client := newClient(t, fullConfig, service(release))
	for n := range 300 {
		if _, err := client.SendRequest(t.Context(), rostering.Request{Path: fmt.Sprint("/", n)}); err != nil {
			t.Fatal(err)
		}
	}
}
