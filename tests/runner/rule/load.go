package rule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Load reads all files of a folder.
func Load(folder fs.FS) (rules []Rule, err error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err == nil && len(files) == 0 {
		err = errors.New("there are no rules")
	}
	names := map[string]bool{}
	for _, file := range files {
		b, err := fs.ReadFile(folder, file)
		some, err2 := read(b)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, r := range some {
			if names[r.Name] {
				return nil, fmt.Errorf("%s: two rules are named %s", file, r.Name)
			}
			names[r.Name] = true
		}
		rules = append(rules, some...)
	}
	return rules, err
}

// read reads the rules of a file, whose cases are not filled.
func read(file []byte) (rules []Rule, err error) {
	var entries []map[string]any
	err = yaml.Unmarshal(file, &entries)
	for _, fields := range entries {
		r, wrong := readRule(fields)
		if wrong != nil {
			return nil, fmt.Errorf("%s: %w", r.Name, wrong)
		}
		rules = append(rules, r)
	}
	return rules, err
}

func readRule(fields map[string]any) (r Rule, err error) {
	if err := strict(encode(fields), &r); err != nil {
		return r, err
	}
	players := map[string]map[string][]any{"plugin": r.Listed, "everywhere": r.Everywhere}
	if r.Anchor == "" {
		players = map[string]map[string][]any{"libraries": r.Listed}
	}
	for _, who := range slices.Sorted(maps.Keys(players)) {
		for _, name := range slices.Sorted(maps.Keys(players[who])) {
			fields := map[string]any{"anchor": r.Anchor, "accepts": r.Accepts, "name": name, "players": who}
			all, err := family(fields, players[who][name])
			for _, fields := range all {
				c, wrong := Decode(r.Name, encode(fields))
				r.Cases, err = append(r.Cases, c), errors.Join(err, wrong)
			}
			if err != nil {
				return r, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return r, nil
}

// Decode reads one case of a rule in its form as JSON.
func Decode(rule string, raw json.RawMessage) (Case, error) {
	c := Case{Rule: rule, Raw: raw}
	err := strict(raw, &c)
	return c, err
}

var tokens = regexp.MustCompile(`token-([0-9]{4})`)

// Fill returns the case with what its placeholders stand for.
func (c *Case) Fill(placeholders map[string]string) (*Case, error) {
	var all []string
	for name, value := range placeholders {
		quoted := string(encode(value))
		all = append(all, "{{"+name+"}}", quoted[1:len(quoted)-1])
	}
	text := strings.NewReplacer(all...).Replace(string(c.Raw))
	text = tokens.ReplaceAllString(text, TokenPrefix+"$1")
	if _, unknown, found := strings.Cut(repeated.ReplaceAllString(text, ""), "{{"); found {
		return nil, fmt.Errorf("there is no placeholder {{%.40s", unknown)
	}
	filled, err := Decode(c.Rule, json.RawMessage(repeat(text, mostFilled)))
	return &filled, err
}

var repeated = regexp.MustCompile(`\{\{([0-9]+) times ([^}]+)\}\}`)

// mostFilled is how long a string is that Fill writes out: JSON is read several times.
const mostFilled = 256 << 10

// Repeated writes the strings out that Fill does not: {{17000000 times x}} in an input.
func Repeated(text string) string { return repeat(text, 100<<20) }

func repeat(text string, most int) string {
	return repeated.ReplaceAllStringFunc(text, func(match string) string {
		parts := repeated.FindStringSubmatch(match)
		times, err := strconv.Atoi(parts[1])
		if err != nil || times*len(parts[2]) > most {
			return match
		}
		if !strings.Contains(parts[2], "#") {
			return strings.Repeat(parts[2], times)
		}
		numbered := ""
		for n := range times {
			numbered += strings.ReplaceAll(parts[2], "#", strconv.Itoa(n))
		}
		return numbered
	})
}

// strict decodes JSON and refuses unknown fields.
func strict(b []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.DisallowUnknownFields()
	decoder.UseNumber()
	return decoder.Decode(value)
}

// encode writes JSON with no more escapes than it needs.
func encode(value any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // it was decoded from JSON or YAML
	}
	return bytes.TrimSpace(b.Bytes())
}

// merged returns the fields of both, of which the second take precedence.
func merged(defaults, own map[string]any) map[string]any {
	all := map[string]any{}
	maps.Copy(all, defaults)
	maps.Copy(all, own)
	return all
}

// family returns the cases for which a list stands: the fields of the case, if its first entry has them, its steps, and the rows
// for each of which it is one, if its last entry has these.
func family(one map[string]any, steps []any) (all []any, err error) {
	if len(steps) == 0 {
		return nil, errors.New("a case has steps")
	}
	if first, _ := steps[0].(map[string]any); first["case"] != nil {
		fields, _ := first["case"].(map[string]any)
		one, steps = merged(one, fields), steps[1:]
	}
	for i, step := range steps { // set_token alone has a token of the default config
		if step, _ := step.(map[string]any); step["set_token"] != nil {
			input := map[string]any{"access_token": step["set_token"], "expires_at": json.Number(startExpiry), "cache_key": "{{cache_key}}"}
			steps[i] = merged(step, map[string]any{"do": "set_token", "input": input, "body": ""})
			delete(steps[i].(map[string]any), "set_token")
		}
	}
	one["steps"] = steps
	last, _ := steps[len(steps)-1].(map[string]any)
	var rows []map[string]any
	switch each := last["each"].(type) {
	case nil:
		return []any{one}, nil
	case []any:
		for _, value := range each {
			rows = append(rows, map[string]any{"row": value})
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(each)) {
			row, _ := each[name].(map[string]any)
			rows = append(rows, merged(row, map[string]any{"row": name}))
		}
	}
	one["steps"] = steps[:len(steps)-1]
	text, lacking := string(encode(one)), map[string]any{}
	for _, row := range rows {
		for column := range row {
			lacking["{{"+column+"}}"] = lacks{}
			if column != "row" && !strings.Contains(text, "{{"+column+"}}") {
				return nil, fmt.Errorf("nothing has the value {{%s}} of the rows", column)
			}
		}
	}
	for _, row := range rows {
		name := string(jsonText(encode(row["row"])))
		row["ROW"] = strings.ToUpper(name)
		values, parts := maps.Clone(lacking), []string{}
		for column, value := range row {
			values["{{"+column+"}}"] = value
			parts = append(parts, "{{"+column+"}}", string(jsonText(encode(value))))
		}
		member := fill(one, values, strings.NewReplacer(parts...)).(map[string]any)
		member["name"] = fmt.Sprint(one["name"], ": ", name)
		all = append(all, member)
	}
	return all, nil
}

// lacks is the value of a row that lacks it.
type lacks struct{}

// fill writes values in place of their names, also as parts of texts. It omits what the row lacks.
func fill(value any, values map[string]any, parts *strings.Replacer) any {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]any{}
		for name, element := range value {
			if filled := fill(element, values, parts); filled != any(lacks{}) {
				all[parts.Replace(name)] = filled
			}
		}
		return all
	case []any:
		all := []any{}
		for _, element := range value {
			if filled := fill(element, values, parts); filled != any(lacks{}) {
				all = append(all, filled)
			}
		}
		return all
	case string:
		if whole, is := values[value]; is {
			return whole
		}
		return parts.Replace(value)
	}
	return value
}
