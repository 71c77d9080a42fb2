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
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, file := range files {
		b, err := fs.ReadFile(folder, file)
		if err != nil {
			return nil, err
		}
		some, err := read(b)
		if err != nil {
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
	if len(rules) == 0 {
		return nil, errors.New("there are no rules")
	}
	return rules, nil
}

// read reads the rules of a file, whose cases are not filled. An entry with definitions alone has what the file repeats, by
// YAML's anchors.
func read(file []byte) (rules []Rule, err error) {
	var entries []map[string]any
	if err := yaml.Unmarshal(file, &entries); err != nil {
		return nil, err
	}
	for _, fields := range entries {
		if fields["definitions"] != nil && len(fields) == 1 {
			continue
		}
		r, err := readRule(fields)
		if err != nil {
			return nil, fmt.Errorf("%v: %w", fields["rule"], err)
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func readRule(fields map[string]any) (r Rule, err error) {
	defaults := map[string]any{"anchor": fields["anchor"], "accepts": fields["accepts"]}
	players := map[string]any{"cases": "plugin", "everywhere": "everywhere"}
	if fields["anchor"] == nil {
		players["cases"] = "libraries"
	}
	var cases []any
	for _, field := range slices.Sorted(maps.Keys(players)) {
		named, _ := fields[field].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(named)) {
			some, err := family(merged(defaults, map[string]any{"name": name, "players": players[field]}), named[name])
			if err != nil {
				return r, fmt.Errorf("%s: %w", name, err)
			}
			cases = append(cases, some...)
		}
		delete(fields, field)
	}
	delete(fields, "accepts")
	if err := strict(encode(fields), &r); err != nil {
		return r, err
	}
	for _, fields := range cases {
		c, err := Decode(r.Name, encode(fields))
		if err != nil {
			return r, fmt.Errorf("%s: %w", c.Name, err)
		}
		r.Cases = append(r.Cases, c)
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

// mostFilled is how long a string is that Fill writes out.
const mostFilled = 16 << 20

// Repeated writes the strings out that Fill does not: {{50000000 times x}} in an input.
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
func family(one map[string]any, list any) (all []any, err error) {
	steps, isList := list.([]any)
	if !isList || len(steps) == 0 {
		return nil, errors.New("a case is a list of steps")
	}
	if first, _ := steps[0].(map[string]any); first["case"] != nil {
		fields, _ := first["case"].(map[string]any)
		one, steps = merged(one, fields), steps[1:]
	}
	for i, step := range steps { // set_token alone has a token of the default config
		if step, _ := step.(map[string]any); step["set_token"] != nil {
			input := map[string]any{"access_token": step["set_token"], "expires_at": json.Number(startExpiry), "cache_key": "{{cache_key}}"}
			steps[i] = merged(step, map[string]any{"do": "set_token", "input": input, "empty": true})
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
	text, columns := string(encode(one)), map[string]bool{}
	for _, row := range rows {
		for column := range row {
			columns[column] = true
			if column != "row" && !strings.Contains(text, "{{"+column+"}}") {
				return nil, fmt.Errorf("nothing has the value {{%s}} of the rows", column)
			}
		}
	}
	for _, row := range rows {
		name, isText := row["row"].(string)
		if !isText {
			name = string(encode(row["row"]))
		}
		row["ROW"] = strings.ToUpper(name)
		member, _ := filler{row, columns}.fill(one)
		member.(map[string]any)["name"] = fmt.Sprint(one["name"], ": ", name)
		all = append(all, member)
	}
	return all, nil
}

// filler writes the values of a row in place of their names. Columns are those of all rows.
type filler struct {
	row     map[string]any
	columns map[string]bool
}

var placeholder = regexp.MustCompile(`\{\{[A-Za-z_]+\}\}`)

// fill returns a value with those of the row, unless it is the name of one that the row lacks.
func (f filler) fill(value any) (filled any, is bool) {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]any{}
		for name, element := range value {
			if element, is := f.fill(element); is {
				all[f.text(name)] = element
			}
		}
		return all, true
	case []any:
		all := []any{}
		for _, element := range value {
			if element, is := f.fill(element); is {
				all = append(all, element)
			}
		}
		return all, true
	case string:
		if column := strings.Trim(value, "{}"); f.columns[column] && value == "{{"+column+"}}" {
			filled, is = f.row[column]
			return filled, is
		}
		return f.text(value), true
	}
	return value, true
}

func (f filler) text(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		if value, is := f.row[strings.Trim(name, "{}")]; is {
			return fmt.Sprint(value)
		}
		return name
	})
}
