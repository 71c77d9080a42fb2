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

// Servers are the URLs of the scripted servers: http://127.0.0.1:port.
type Servers struct{ Auth, Service string }

// closed is a URL at which nothing listens: only root could do so.
const closed = "http://127.0.0.1:2"

// CacheKey is the cache key of the default config.
func (s Servers) CacheKey() string {
	return "rostering:" + url.QueryEscape(s.Auth+"/connect/token") + ":client-1:automatic-rostering-stage"
}

// fill writes the placeholders in a text out.
func (s Servers) fill(text string) string {
	return Repeated(strings.NewReplacer(
		"{{auth}}", s.Auth, "{{service}}", s.Service, "{{closed}}", closed,
		"{{auth.host}}", strings.TrimPrefix(s.Auth, "http://"), "{{service.host}}", strings.TrimPrefix(s.Service, "http://"),
		"{{auth.escaped}}", url.QueryEscape(s.Auth),
		"{{cache_key}}", s.CacheKey(),
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

// Load reads all scenario files of a folder, for servers with these URLs.
func Load(folder fs.FS, servers Servers) (all []Scenario, err error) {
	files, err := fs.Glob(folder, "*.yaml")
	if err != nil {
		return nil, err
	}
	names := map[string]bool{"": true}
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
			if fields["config"], err = withDefaults(fields["config"]); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			filled := servers.fill(string(encode(fields)))
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
	return s, strict(raw, &s)
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

// document is a scenario file. Rule, Everywhere and Accepts hold for its scenarios that have none of
// their own; Definitions is where a file keeps what it repeats, by YAML's anchors.
type document struct {
	Rule, Everywhere, Accepts, Definitions yaml.Node
	Scenarios                              []yaml.Node
}

var defaultConfig = map[string]any{
	"environment": "stage", "auth_url": "{{auth}}", "base_url": "{{service}}", "client_id": "client-1",
	"client_secret": Secret, "customer_id": "customer-1", "user_id": "user-1",
}

// withDefaults returns a config merged into the default one; null removes a key.
func withDefaults(config any) (any, error) {
	own, isMapping := config.(map[string]any)
	if config != nil && !isMapping {
		return nil, fmt.Errorf("%v is not a config", config)
	}
	all := maps.Clone(defaultConfig)
	maps.Copy(all, own)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return all, nil
}

// expand returns a file's scenarios, those of families one by one.
func expand(file []byte) (all []map[string]any, err error) {
	var d document
	decoder := yaml.NewDecoder(bytes.NewReader(file))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		return nil, err
	}
	defaults := map[string]any{}
	for name, node := range map[string]*yaml.Node{"rule": &d.Rule, "everywhere": &d.Everywhere, "accepts": &d.Accepts} {
		if node.IsZero() {
			continue
		}
		if defaults[name], err = plain(node); err != nil {
			return nil, err
		}
	}
	for _, node := range d.Scenarios {
		value, err := plain(&node)
		own, isMapping := value.(map[string]any)
		if err != nil || !isMapping {
			return nil, fmt.Errorf("line %d is not a scenario: %w", node.Line, err)
		}
		scenario := maps.Clone(defaults)
		maps.Copy(scenario, own)
		members, err := family(scenario)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", node.Line, err)
		}
		all = append(all, members...)
	}
	return all, nil
}

// plain is a YAML value as JSON has it.
func plain(node *yaml.Node) (any, error) {
	switch node.Kind {
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
	each, isFamily := scenario["each"]
	if !isFamily {
		return []map[string]any{scenario}, nil
	}
	delete(scenario, "each")
	rows, isList := each.([]any)
	used := map[string]bool{"name": true}
	for _, value := range rows {
		row, isMapping := value.(map[string]any)
		if !isMapping {
			return nil, fmt.Errorf("%v is not a row", value)
		}
		for column := range row {
			used[column] = used[column]
		}
	}
	for _, value := range rows {
		row := value.(map[string]any)
		if row["name"] == nil || scenario["name"] == nil || !isList {
			return nil, errors.New("a family and each of its rows need a name")
		}
		filled, _ := put(scenario, row, used)
		member := filled.(map[string]any)
		member["name"] = fmt.Sprint(scenario["name"], ": ", row["name"])
		all = append(all, member)
	}
	for column, used := range used {
		if !used {
			return nil, fmt.Errorf("nothing has the value {{%s}} of the rows", column)
		}
	}
	return all, nil
}

var placeholder = regexp.MustCompile(`\{\{[a-z_]+\}\}`)

// put returns a value with those of a row in place of their names, unless it is the name of one that the row
// lacks. It notes which columns of the family are used.
func put(value any, row map[string]any, used map[string]bool) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		all := map[string]any{}
		for name, element := range value {
			if element, is := put(element, row, used); is {
				all[text(name, row, used)] = element
			}
		}
		return all, true
	case []any:
		all := []any{}
		for _, element := range value {
			if element, is := put(element, row, used); is {
				all = append(all, element)
			}
		}
		return all, true
	case string:
		column := strings.Trim(value, "{}")
		if _, is := used[column]; is && value == "{{"+column+"}}" {
			used[column] = true
			value, is := row[column]
			return value, is
		}
		return text(value, row, used), true
	}
	return value, true
}

// text puts a row's values into a text.
func text(text string, row map[string]any, used map[string]bool) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		column := strings.Trim(name, "{}")
		value, is := row[column]
		if !is {
			return name
		}
		used[column] = true
		return fmt.Sprint(value)
	})
}
