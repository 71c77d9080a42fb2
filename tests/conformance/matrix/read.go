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

// tally counts the scenarios of a group on a host.
type tally struct{ passed, deviating, failed int }

// host is the result of the scenarios on one host.
type host struct {
	versions  string
	groups    map[string]*tally
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
		if name, group := place(e.Test); name != "" {
			all.take(name, group, e)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no scenario ran")
	}
	return all, lines.Err()
}

// place finds host and group, if any, in a test's name:
// Test…/[language/]host[/group/name].
func place(test string) (name, group string) {
	parts := strings.Split(test, "/")
	switch parts[0] {
	case "TestScenarios":
		parts = parts[1:]
	case "TestScenariosInOtherLanguages":
		parts = parts[min(2, len(parts)):]
	default:
		return "", ""
	}
	switch len(parts) {
	case 1:
		return parts[0], ""
	case 3:
		return parts[0], parts[1]
	}
	return "", ""
}

func (all hosts) take(name, group string, e event) {
	h := all[name]
	if h == nil {
		h = &host{groups: map[string]*tally{}, deviating: map[string]bool{}}
		all[name] = h
	}
	if _, versions, found := strings.Cut(e.Output, runs); found && group == "" {
		h.versions = strings.TrimSpace(versions)
	}
	if group == "" {
		return
	}
	if _, why, found := strings.Cut(e.Output, deviates); found {
		h.deviating[e.Test] = true
		if why = strings.TrimSpace(why); !slices.Contains(h.reasons, why) {
			h.reasons = append(h.reasons, why)
		}
	}
	h.count(group, e)
}

func (h *host) count(group string, e event) {
	if e.Action != "pass" && e.Action != "fail" {
		return
	}
	if h.groups[group] == nil {
		h.groups[group] = &tally{}
	}
	switch n := h.groups[group]; {
	case e.Action == "fail":
		n.failed++
	case h.deviating[e.Test]:
		n.deviating++
	default:
		n.passed++
	}
}
