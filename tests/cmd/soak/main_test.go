package main

import (
	"strings"
	"testing"
)

func TestTheBuiltFilesDoAsTheCore(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, "../../..", 8_000, 1); err != nil {
		t.Error(err)
	}
	t.Log(out.String())
}
