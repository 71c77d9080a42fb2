package main

import "testing"

// A warm begin costs the host no more memory than 1.3 times a warm get_token. Memory does
// not depend on the machine, as time does.
func TestAWarmBeginCostsTheHostLittle(t *testing.T) {
	costs, err := measure(t.Context(), "../../../dist/rostering-nowasi.wasm", 300)
	if err != nil {
		t.Fatal(err)
	}
	peer := costs[warmGetToken].heap
	for i, c := range calls[:4] {
		if heap := costs[i].heap; heap*10 > peer*13 {
			t.Errorf("%s: %d bytes of the host's heap, %d for a warm get_token", c.name, heap, peer)
		}
	}
}
