package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"automatic-rostering/tests/conformance/hosts"
	"automatic-rostering/tests/conformance/scenario"
)

// Deviation is something that a host cannot do. Its scenarios still run, and must
// fail.
type Deviation struct {
	// Scenarios are groups, or groups and names with a slash between.
	Scenarios []string `json:"scenarios"`
	// Why says what the host does instead, with the version in which it was seen.
	Why string `json:"why"`
	// Issue is where the SDK's developers know of it, if they do.
	Issue string `json:"issue,omitempty"`
}

// deviations are those of one host.
type deviations []Deviation

// readDeviations reads tests/scenarios/deviations/HOST.json, if it is there.
func readDeviations(host string) (all deviations, err error) {
	b, err := os.ReadFile(filepath.Join(hosts.Root(), "tests/scenarios/deviations", host+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("deviations of %s: %w", host, err)
	}
	return all, nil
}

// of returns why a host cannot do a scenario, named with its group, or "".
func (all deviations) of(scenario string) string {
	for _, d := range all {
		for _, s := range d.Scenarios {
			if s == scenario || strings.HasPrefix(scenario, s+"/") {
				return d.Why
			}
		}
	}
	return ""
}

// beyond returns the names that no scenario has.
func (all deviations) beyond(scenarios []scenario.Scenario) (unknown []string) {
	for _, d := range all {
		for _, name := range d.Scenarios {
			one := deviations{{Scenarios: []string{name}, Why: name}}
			if !slices.ContainsFunc(scenarios, func(s scenario.Scenario) bool { return one.of(s.FullName()) != "" }) {
				unknown = append(unknown, name)
			}
		}
	}
	return unknown
}
