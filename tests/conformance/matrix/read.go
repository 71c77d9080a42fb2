package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

// event is a line of go test -json.
type event struct {
	Action, Test, Output string
}

// tally counts the scenarios of a host.
type tally struct{ passed, deviating, failed int }

// host is the result of the scenarios on one host.
type host struct {
	versions  string
	tally     tally
	reasons   []string
	deviating map[string]bool // tests
}

// hosts are those that ran, by name.
type hosts map[string]*host

// How lines of the log begin: the versions, and a scenario that a host is known not to do.
const (
	runs     = "runs: "
	deviates = "deviation: "
)

func read(in io.Reader) (hosts, error) {
	all := hosts{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, err
		}
		if name, scenario := place(e.Test); name != "" {
			all.take(name, scenario, e)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no scenario ran")
	}
	return all, lines.Err()
}

// place finds the host in a test's name, TestScenarios/language/host[/group/name], and
// reports whether it is the test of a scenario.
func place(test string) (name string, scenario bool) {
	parts := strings.SplitN(test, "/", 4)
	if parts[0] != "TestScenarios" || len(parts) < 3 {
		return "", false
	}
	return parts[2], len(parts) == 4
}

func (all hosts) take(name string, scenario bool, e event) {
	h := all[name]
	if h == nil {
		h = &host{deviating: map[string]bool{}}
		all[name] = h
	}
	if _, versions, found := strings.Cut(e.Output, runs); found && !scenario {
		h.versions = strings.TrimSpace(versions)
	}
	if _, why, found := strings.Cut(e.Output, deviates); found && scenario {
		h.deviating[e.Test] = true
		if why = strings.TrimSpace(why); !slices.Contains(h.reasons, why) {
			h.reasons = append(h.reasons, why)
		}
	}
	switch {
	case !scenario:
	case e.Action == "fail":
		h.tally.failed++
	case e.Action == "pass" && h.deviating[e.Test]:
		h.tally.deviating++
	case e.Action == "pass":
		h.tally.passed++
	}
}
