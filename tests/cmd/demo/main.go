// Command demo shows what the plugin does, against a sandbox that it starts and
// ends itself:
//
//	go run ./cmd/demo
//
// It fails if anything is not as it must be.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	wasm := flag.String("wasm", "../dist/rostering-nowasi.wasm", "the built plugin")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdout, options{wasm: *wasm, color: hasColor(os.Stdout, os.Getenv)})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// hasColor reports whether to write in colour (https://no-color.org).
func hasColor(f *os.File, getenv func(string) string) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 &&
		getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}
