//go:build !tinygo

// Native runs the core as an ordinary program, without WebAssembly, behind the same
// protocol as every other host: one JSON object a line on standard input, one on
// standard output (tests/conformance/protocol). So the scenarios hold for the core by itself, and
// a difference between it and the plugin is the shell's or the host's.
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

type answer struct {
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
	requests, answers := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	instances := map[string]*host{}
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		a := handle(instances, r)
		a.ID = r.ID
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}

func handle(instances map[string]*host, r request) answer {
	switch r.Op {
	case "versions":
		return answer{Versions: runtime.Version()}
	case "create":
		instances[r.Instance] = newHost(r.Config)
		return answer{}
	case "close":
		delete(instances, r.Instance)
		return answer{}
	case "call":
		if h, ok := instances[r.Instance]; ok {
			return h.call(r.Export, r.Input)
		}
	}
	return answer{Trap: fmt.Sprintf("cannot %q on instance %q", r.Op, r.Instance)}
}
