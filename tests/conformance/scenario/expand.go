package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is a scenario file. Rule, Everywhere and Accepts hold for its scenarios that have none of
// their own; Definitions is where a file keeps what it repeats, by YAML's anchors.
type document struct {
	Rule        yaml.Node
	Everywhere  yaml.Node
	Accepts     yaml.Node
	Definitions yaml.Node
	Scenarios   []yaml.Node
}

// expand returns a file's scenarios, those of families one by one, as JSON.
func expand(file []byte) (all []json.RawMessage, err error) {
	var d document
	decoder := yaml.NewDecoder(bytes.NewReader(file))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		return nil, err
	}
	for _, node := range d.Scenarios {
		expanded, err := d.expand(&node)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", node.Line, err)
		}
		all = append(all, expanded...)
	}
	return all, nil
}

// expand returns a scenario, or each of a family, as JSON.
func (d *document) expand(node *yaml.Node) (all []json.RawMessage, err error) {
	scenario, err := fields(node)
	if err != nil {
		return nil, err
	}
	for _, own := range []field{{"rule", &d.Rule}, {"everywhere", &d.Everywhere}, {"accepts", &d.Accepts}} {
		if scenario.get(own.name) == nil && !own.value.IsZero() {
			scenario = append(scenario, own)
		}
	}
	each := scenario.get("each")
	if each == nil {
		raw, err := (&family{}).object(scenario)
		return []json.RawMessage{raw}, err
	}
	f := family{columns: map[string]bool{}}
	var rows []mapping
	for _, node := range each.Content {
		row, err := fields(node)
		if err != nil {
			return nil, err
		}
		for _, column := range row {
			f.columns[column.name] = false
		}
		rows = append(rows, row)
	}
	for _, f.row = range rows {
		member := scenario.without("each")
		name, own := scenario.get("name"), f.row.get("name")
		if name == nil || own == nil {
			return nil, errors.New("a family and each of its rows need a name")
		}
		member.set("name", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name.Value + ": " + own.Value})
		raw, err := f.object(member)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", own.Value, err)
		}
		all = append(all, raw)
	}
	for column, used := range f.columns {
		if !used && column != "name" {
			return nil, fmt.Errorf("nothing has the value {{%s}} of the rows", column)
		}
	}
	return all, nil
}

// mapping is a YAML mapping, in its order.
type mapping []field

type field struct {
	name  string
	value *yaml.Node
}

func fields(node *yaml.Node) (all mapping, err error) {
	if node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: it is no mapping", node.Line)
	}
	for i := 0; i < len(node.Content); i += 2 {
		name := node.Content[i].Value
		if all.get(name) != nil {
			return nil, fmt.Errorf("line %d: %s is there twice", node.Content[i].Line, name)
		}
		all = append(all, field{name, node.Content[i+1]})
	}
	return all, nil
}

func (m mapping) get(name string) *yaml.Node {
	for _, f := range m {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

func (m mapping) set(name string, value *yaml.Node) {
	for i := range m {
		if m[i].name == name {
			m[i].value = value
		}
	}
}

func (m mapping) without(name string) (rest mapping) {
	for _, f := range m {
		if f.name != name {
			rest = append(rest, f)
		}
	}
	return rest
}

// family writes YAML as JSON, with a row's values in place of their names.
type family struct {
	columns map[string]bool // whether they are used
	row     mapping
}

// alone is a value, or the name of a field, that is one of a row and nothing else.
var alone = regexp.MustCompile(`^\{\{([a-z_]+)\}\}$`)

// value returns what a row has in the place of a node: the node itself, if that is no name
// of a value, or nil if the row leaves it out.
func (f *family) value(node *yaml.Node) *yaml.Node {
	if found := alone.FindStringSubmatch(node.Value); found != nil {
		if _, is := f.columns[found[1]]; is {
			f.columns[found[1]] = true
			node = f.row.get(found[1])
		}
	}
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// text puts a row's values into a text.
func (f *family) text(text string) string {
	for _, column := range f.row {
		if name := "{{" + column.name + "}}"; strings.Contains(text, name) {
			f.columns[column.name] = true
			text = strings.ReplaceAll(text, name, column.value.Value)
		}
	}
	return text
}

func (f *family) json(node *yaml.Node) (json.RawMessage, error) {
	switch node.Kind {
	case yaml.MappingNode:
		all, err := fields(node)
		if err != nil {
			return nil, err
		}
		return f.object(all)
	case yaml.SequenceNode:
		return f.list(node)
	}
	return f.scalar(node)
}

func (f *family) object(m mapping) (json.RawMessage, error) {
	text := []byte{'{'}
	for _, field := range m {
		node := f.value(field.value)
		if node == nil {
			continue
		}
		value, err := f.json(node)
		if err != nil {
			return nil, err
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(append(text, quote(f.text(field.name))...), ':'), value...)
	}
	return append(text, '}'), nil
}

func (f *family) list(node *yaml.Node) (json.RawMessage, error) {
	text := []byte{'['}
	for i, element := range node.Content {
		element = f.value(element)
		if element == nil {
			return nil, errors.New("an element of a list cannot be omitted")
		}
		value, err := f.json(element)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, value...)
	}
	return append(text, ']'), nil
}

// literal is what is no text if it stands without quotes: as in JSON, to the digit.
var literal = regexp.MustCompile(`^(null|true|false|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?)$`)

func (f *family) scalar(node *yaml.Node) (json.RawMessage, error) {
	plain := node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch {
	case plain && literal.MatchString(node.Value) && node.Tag != "!!str":
		return json.RawMessage(node.Value), nil
	case node.Tag != "!!str":
		return nil, fmt.Errorf("line %d: %s may be a number elsewhere: put it into quotes", node.Line, node.Value)
	}
	return quote(f.text(node.Value)), nil
}
