// Try runs the scenarios on one host adapter, for its author:
//
//	go run ./conformance/try -build rostering-nowasi.wasm -- node hosts/node/host.mjs
//
// Everything behind -- is the command that starts the adapter: see package protocol.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
	"automatic-rostering/tests/conformance/scenario"
)

func main() {
	build := flag.String("build", "rostering.wasm", "the build of the plugin, in dist")
	drive := flag.Bool("drive", false, "let a client of the library make the calls, with the plugin's own HTTP switched off")
	only := flag.String("only", "", "run only scenarios whose group/name holds this")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "which command starts the adapter? Put it behind --")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	failed, err := try(ctx, *build, *drive, *only, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

func try(ctx context.Context, build string, drive bool, only string, command []string) (failed bool, err error) {
	all, err := scenario.Load(os.DirFS(filepath.Join(hosts.Root(), "tests/scenarios")))
	if err != nil {
		return false, err
	}
	start := func() (*run.Host, error) {
		process, err := protocol.Start(ctx, ".", os.Stderr, command[0], command[1:]...)
		wasm := filepath.Join(hosts.Root(), "dist", build)
		return &run.Host{Adapter: process, Process: process, Wasm: wasm, WASI: !strings.Contains(build, "nowasi"), Steps: drive, Drives: drive}, err
	}
	host, err := start()
	if err != nil {
		return false, err
	}
	ran, wrong := 0, 0
	for i := range all {
		full := all[i].Group + "/" + all[i].Name
		if !all[i].Everywhere || !strings.Contains(full, only) || !drive && all[i].StepsOnly() {
			continue
		}
		ran++
		if err := run.Scenario(host, &all[i]); err != nil {
			wrong++
			fmt.Printf("FAIL %s\n     %v\n", full, err)
			_ = host.Process.Close() // it may hang: the next scenario gets another
			if host, err = start(); err != nil {
				return true, err
			}
		}
	}
	fmt.Printf("%d scenarios, %d failed\n", ran, wrong)
	return wrong > 0, host.Process.Close()
}
