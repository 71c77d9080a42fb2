package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
)

// Load reads all scenario files of a folder, and refuses what is not of the form.
func Load(folder fs.FS) ([]Scenario, error) {
	files, err := fs.Glob(folder, "*.json")
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
			if full := s.Group + "/" + s.Name; names[full] {
				return nil, fmt.Errorf("%s: two scenarios are named %q", file, s.Name)
			} else {
				names[full] = true
			}
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
	var raw []json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return nil, err
	}
	var group []Scenario
	for _, r := range raw {
		s, err := decode(r)
		if err != nil {
			return nil, fmt.Errorf("%.80s: %w", r, err)
		}
		s.Group = strings.TrimSuffix(path.Base(file), ".json")
		group = append(group, s)
	}
	return group, nil
}

func decode(raw json.RawMessage) (s Scenario, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&s); err != nil {
		return s, err
	}
	s.raw = raw
	for i := range s.Calls {
		s.Calls[i].Exchanges = flat(s.Calls[i].Exchanges)
	}
	return s, s.check()
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
	filled, err := decode(json.RawMessage(servers.fill(string(s.raw))))
	filled.Group = s.Group
	return filled, err
}

// ForSteps returns the scenario as it is where begin and resume make its calls.
func (s *Scenario) ForSteps() (Scenario, error) {
	var all map[string]json.RawMessage
	var calls []map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(s.raw, &all), json.Unmarshal(all["calls"], &calls)); err != nil {
		return Scenario{}, err
	}
	for i := range calls {
		maps.Copy(calls[i], s.Calls[i].InSteps)
		maps.DeleteFunc(calls[i], func(field string, value json.RawMessage) bool {
			return field == "in_steps" || string(value) == "null"
		})
	}
	laid, err := json.Marshal(calls)
	if err != nil {
		return Scenario{}, err
	}
	all["calls"] = laid
	raw, err := json.Marshal(all)
	if err != nil {
		return Scenario{}, err
	}
	steps, err := decode(raw)
	steps.Group = s.Group
	return steps, err
}
