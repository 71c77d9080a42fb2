//go:build !tinygo

// Native runs the core as an ordinary program, without WebAssembly, behind the same
// protocol as every other host: one JSON object per line on standard input, and one on
// standard output (tests/conformance/protocol). So the scenarios are tested on the core
// alone, and a difference between it and the plugin stems from the shell or the host.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type request struct {
	ID       int64             `json:"id"`
	Op       string            `json:"op"`
	Instance string            `json:"instance"`
	Config   map[string]string `json:"config"`
	Export   string            `json:"export"`
	Input    []byte            `json:"input"`
}

type result struct {
	ID     int64  `json:"id"`
	Output []byte `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
	Trap   string `json:"trap,omitempty"`
	Logs   []line `json:"logs,omitempty"`

	Versions string `json:"versions,omitempty"`
}

type line struct {
	Level string `json:"level"`
	Line  string `json:"line"`
}

func run(in io.Reader, out io.Writer) error {
	requests, results := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	instances := map[string]*host{}
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		done := handle(instances, r)
		done.ID = r.ID
		if err := results.Encode(done); err != nil {
			return err
		}
	}
}

func handle(instances map[string]*host, r request) result {
	switch r.Op {
	case "versions":
		return result{Versions: runtime.Version()}
	case "create":
		instances[r.Instance] = newHost(r.Config)
		return result{}
	case "close":
		delete(instances, r.Instance)
		return result{}
	case "call":
		if h, ok := instances[r.Instance]; ok {
			return h.call(r.Export, r.Input)
		}
	}
	return result{Trap: fmt.Sprintf("cannot %q on instance %q", r.Op, r.Instance)}
}
