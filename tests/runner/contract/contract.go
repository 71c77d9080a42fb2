// Package contract validates JSON against docs/contract.schema.json.
package contract

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const file = "docs/contract.schema.json"

// Key is a key of the config.
type Key struct{ Name, Description string }

// Lists returns what the contract lists: the keys of the config, in its order, and the codes of errors.
func Lists(root string) (keys []Key, codes []string, err error) {
	var s struct {
		Defs struct {
			Config struct{ Properties yaml.Node }
			Error  struct {
				Properties struct{ Code struct{ Enum []string } }
			}
		} `yaml:"$defs"`
	}
	b, err := os.ReadFile(filepath.Join(root, file))
	err = errors.Join(err, yaml.Unmarshal(b, &s)) // which keeps the order
	for pair := range slices.Chunk(s.Defs.Config.Properties.Content, 2) {
		key := Key{Name: pair[0].Value}
		err = errors.Join(err, pair[1].Decode(&key))
		keys = append(keys, key)
	}
	codes = s.Defs.Error.Properties.Code.Enum
	if err != nil || len(keys) < 10 || len(codes) < 10 {
		return nil, nil, fmt.Errorf("%s has the keys %v: %w", file, keys, err)
	}
	return keys, codes, nil
}

// Contract has the schemas by the names of their definitions.
type Contract map[string]*jsonschema.Schema

// Read reads the contract in a folder of the repository.
func Read(root string) (Contract, error) {
	const id = "urn:automatic-rostering:contract:1"
	b, err := os.ReadFile(filepath.Join(root, file))
	document, err2 := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	compiler := jsonschema.NewCompiler()
	if err := errors.Join(err, err2, compiler.AddResource(id, document)); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c := Contract{}
	for name := range document.(map[string]any)["$defs"].(map[string]any) {
		if c[name], err = compiler.Compile(id + "#/$defs/" + name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Fits returns how a JSON text differs from a definition, or nil.
func (c Contract) Fits(definition string, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return c[definition].Validate(value)
}

// outputs maps exports to the definitions of the outputs that the plugin makes itself.
var outputs = map[string]string{
	"get_token": "token", "begin": "step", "resume": "step", "request": "request_output", "explain": "error", "version": "version", "status": "status_output", "set_token": "", "clear_token": "", "check": "",
}

// Returns checks the output of an export, or its error if failure is not empty.
func (c Contract) Returns(export string, output []byte, failure string) error {
	definition, own := outputs[export]
	switch {
	case failure != "":
		if err := c.Fits("error", []byte(failure)); err != nil {
			return fmt.Errorf("the error %.300s of %s: %w", failure, export, err)
		}
	case definition != "":
		if err := c.Fits(definition, output); err != nil {
			return fmt.Errorf("the output %.300s of %s: %w", output, export, err)
		}
	case own && len(output) > 0:
		return fmt.Errorf("%s returns %.300s, not nothing", export, output)
	}
	return nil
}
