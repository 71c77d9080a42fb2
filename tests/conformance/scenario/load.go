package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// URLs are those of the scripted servers: http://127.0.0.1:port.
type URLs struct{ Auth, Service string }

// closed is a URL at which nothing listens: only root could do so.
const closed = "http://127.0.0.1:2"

// CacheKey is the cache key of the default config.
func (u URLs) CacheKey() string {
	return "rostering:" + url.QueryEscape(u.Auth+"/connect/token") + ":client-1:automatic-rostering-stage"
}

// fill writes the placeholders in a text out.
func (u URLs) fill(text string) string {
	return Repeated(strings.NewReplacer(
		"{{auth}}", u.Auth, "{{service}}", u.Service, "{{closed}}", closed,
		"{{auth.host}}", strings.TrimPrefix(u.Auth, "http://"), "{{service.host}}", strings.TrimPrefix(u.Service, "http://"),
		"{{auth.escaped}}", url.QueryEscape(u.Auth),
		"{{cache_key}}", u.CacheKey(),
		"{{half a surrogate pair}}", `\ud800`, // in JSON, where it is no text, but may stand
	).Replace(text))
}

var repeated = regexp.MustCompile(`\{\{([0-9]+) times ([^}]+)\}\}`)

// Repeated writes long strings out: {{65536 times x}}.
func Repeated(text string) string {
	return repeated.ReplaceAllStringFunc(text, func(match string) string {
		parts := repeated.FindStringSubmatch(match)
		times, _ := strconv.Atoi(parts[1])
		return strings.Repeat(parts[2], times)
	})
}

// Load reads all scenario files of a folder, for the servers with these URLs.
func Load(folder fs.FS, urls URLs) (all []Scenario, err error) {
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
		group, err := expand(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, fields := range group {
			if config, isMapping := fields["config"].(map[string]any); isMapping || fields["config"] == nil {
				fields["config"] = merged(defaultConfig, config)
			}
			filled := urls.fill(string(encode(fields)))
			if _, unknown, found := strings.Cut(filled, "{{"); found {
				return nil, fmt.Errorf("%s: there is no placeholder {{%.40s", file, unknown)
			}
			s, err := Decode(strings.TrimSuffix(file, ".yaml"), json.RawMessage(filled))
			if err != nil {
				return nil, fmt.Errorf("%s: %.120s: %w", file, filled, err)
			}
			if names[s.FullName()] {
				return nil, fmt.Errorf("two scenarios are named %s", s.FullName())
			}
			names[s.FullName()] = true
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there are no scenarios")
	}
	return all, nil
}

// Decode reads one scenario of a group in its form as JSON.
func Decode(group string, raw json.RawMessage) (Scenario, error) {
	s := Scenario{Group: group, Raw: raw}
	err := strict(raw, &s)
	return s, err
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

var defaultConfig = map[string]any{
	"environment": "stage", "auth_url": "{{auth}}", "base_url": "{{service}}", "client_id": "client-1",
	"client_secret": Secret, "customer_id": "customer-1", "user_id": "user-1",
}

// merged returns the fields of both, of which the second take precedence; null removes a field.
func merged(defaults, own map[string]any) map[string]any {
	all := maps.Clone(defaults)
	maps.Copy(all, own)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all
}

// expand returns a file's scenarios, those of families one by one. What the file has at its top holds for those
// that have none of their own, but definitions, where it keeps what it repeats, by YAML's anchors.
func expand(file []byte) (all []map[string]any, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal(file, &root); err != nil {
		return nil, err
	}
	value, err := plain(&root)
	if err != nil {
		return nil, err
	}
	document, _ := value.(map[string]any)
	scenarios, _ := document["scenarios"].([]any)
	delete(document, "scenarios")
	delete(document, "definitions")
	for _, value := range scenarios {
		scenario, isMapping := value.(map[string]any)
		if !isMapping {
			return nil, fmt.Errorf("%v is not a scenario", value)
		}
		members, err := family(merged(document, scenario))
		if err != nil {
			return nil, fmt.Errorf("%v: %w", scenario["name"], err)
		}
		all = append(all, members...)
	}
	return all, nil
}

// plain is a YAML value as JSON has it.
func plain(node *yaml.Node) (any, error) {
	switch node.Kind {
	case yaml.DocumentNode:
		return plain(node.Content[0])
	case yaml.AliasNode:
		return plain(node.Alias)
	case yaml.MappingNode:
		var nodes map[string]yaml.Node
		err := node.Decode(&nodes)
		all := map[string]any{}
		for name, node := range nodes {
			if err == nil {
				all[name], err = plain(&node)
			}
		}
		return all, err
	case yaml.SequenceNode:
		all := []any{}
		for _, node := range node.Content {
			value, err := plain(node)
			if err != nil {
				return nil, err
			}
			all = append(all, value)
		}
		return all, nil
	}
	return scalar(node)
}

// literal is what is no text if it stands without quotes: as in JSON, to the digit.
var literal = regexp.MustCompile(`^(null|true|false|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?)$`)

func scalar(node *yaml.Node) (value any, err error) {
	quoted := yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch {
	case node.Tag == "!!str":
		return node.Value, nil
	case node.Style&quoted != 0 || !literal.MatchString(node.Value):
		return nil, fmt.Errorf("line %d: %s may be a number elsewhere: put it into quotes", node.Line, node.Value)
	}
	decoder := json.NewDecoder(strings.NewReader(node.Value))
	decoder.UseNumber()
	return value, decoder.Decode(&value)
}

// family returns the scenarios for which one stands: itself, or one for each row of its field each.
func family(scenario map[string]any) (all []map[string]any, err error) {
	rows, isFamily := scenario["each"].([]any)
	if !isFamily {
		return []map[string]any{scenario}, nil
	}
	delete(scenario, "each")
	text, columns := string(encode(scenario)), map[string]bool{}
	for _, row := range rows {
		row, _ := row.(map[string]any)
		if row["name"] == nil || scenario["name"] == nil {
			return nil, errors.New("a family and each of its rows need a name")
		}
		for column := range row {
			if columns[column] = true; column != "name" && !strings.Contains(text, "{{"+column+"}}") {
				return nil, fmt.Errorf("nothing has the value {{%s}} of the rows", column)
			}
		}
	}
	for _, row := range rows {
		f := filler{row.(map[string]any), columns}
		member, _ := f.fill(scenario)
		fields := member.(map[string]any)
		fields["name"] = fmt.Sprint(scenario["name"], ": ", f.row["name"])
		all = append(all, fields)
	}
	return all, nil
}

// filler writes the values of a row in place of their names. Columns are those of all rows.
type filler struct {
	row     map[string]any
	columns map[string]bool
}

var placeholder = regexp.MustCompile(`\{\{[a-z_]+\}\}`)

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
