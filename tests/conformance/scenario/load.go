package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Load reads all scenario files of a folder, and refuses what is not of the form.
func Load(folder fs.FS) ([]Scenario, error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	var all []Scenario
	names := map[string]bool{}
	for _, file := range files {
		group, err := load(folder, file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, s := range group {
			if names[s.FullName()] {
				return nil, fmt.Errorf("two scenarios are named %s", s.FullName())
			}
			names[s.FullName()] = true
		}
		all = append(all, group...)
	}
	if len(all) == 0 {
		return nil, errors.New("there are no scenarios")
	}
	return all, nil
}

func load(folder fs.FS, file string) ([]Scenario, error) {
	b, err := fs.ReadFile(folder, file)
	if err != nil {
		return nil, err
	}
	all, err := expand(b)
	if err != nil {
		return nil, err
	}
	var group []Scenario
	for _, raw := range all {
		s, err := Decode(strings.TrimSuffix(path.Base(file), ".yaml"), raw)
		if err != nil {
			return nil, fmt.Errorf("%.120s: %w", raw, err)
		}
		group = append(group, s)
	}
	return group, nil
}

// Decode reads one scenario of a group in its form as JSON.
func Decode(group string, raw json.RawMessage) (Scenario, error) {
	s := Scenario{Group: group, Raw: raw}
	if err := strict(raw, &s); err != nil {
		return s, err
	}
	for i := range s.Calls {
		s.Calls[i].setNow()
		s.Calls[i].Exchanges = flat(s.Calls[i].Exchanges)
	}
	return s, s.check()
}

// strict decodes JSON and refuses unknown fields.
func strict(b []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	return decoder.Decode(value)
}

// flat repeats the exchanges that stand for several.
func flat(exchanges []Exchange) (all []Exchange) {
	for _, e := range exchanges {
		if e.Exchanges == nil {
			all = append(all, e)
			continue
		}
		for range e.Times {
			all = append(all, flat(e.Exchanges)...)
		}
	}
	return all
}

// With returns the scenario with all placeholders filled in.
func (s *Scenario) With(servers Servers) (Scenario, error) {
	filled := servers.fill(string(s.Raw))
	if _, unknown, found := strings.Cut(filled, "{{"); found {
		return Scenario{}, fmt.Errorf("there is no placeholder {{%.40s", unknown)
	}
	return Decode(s.Group, json.RawMessage(filled))
}
