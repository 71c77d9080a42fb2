package main

import (
	"context"
	"testing"
)

// BenchmarkWarm is for profiles: see docs/benchmarks.md.
func BenchmarkWarm(b *testing.B) {
	b.Chdir("../..")
	all, err := sources()
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range all {
		for host, open := range map[string]func(context.Context, []byte) (guest, error){"stub": openStub, "go-sdk": openSDK} {
			for _, export := range []string{"list_jobs", "get_token"} {
				b.Run(s.name+"/"+host+"/"+export, func(b *testing.B) {
					g, err := open(b.Context(), s.wasm)
					if err != nil {
						b.Fatal(err)
					}
					defer g.close(context.Background())
					if err := prove(b.Context(), g); err != nil {
						b.Fatal(err)
					}
					b.ReportAllocs()
					for b.Loop() {
						if _, err := g.call(b.Context(), export); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
