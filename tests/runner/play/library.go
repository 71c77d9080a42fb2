package play

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Root is the folder of the repository, for files that a case names.
var Root string

// inputs are the fields of inputs that the libraries' API has, with what their JSON begins with.
var inputs = map[string]map[string]string{
	"get_token":    {"force": "tf", "refused": `"`},
	"list_jobs":    {"customer_id": `"n`, "user_id": `"n`},
	"send_request": {"customer_id": `"n`, "user_id": `"n`, "path": `"`, "method": `"`, "headers": "{", "body": `"`},
	"set_token":    {"access_token": `"`, "token_type": `"`, "expires_at": "-0123456789", "cache_key": `"`},
	"clear_token":  nil,
}

// Expressible reports whether the public API of libraries can express the calls of a scripted case, and a variable each
// value of its config.
func Expressible(c *rule.Case) bool {
	for _, value := range c.Config {
		if value != nil && (*value == "" || strings.ContainsRune(*value, 0)) {
			return false
		}
	}
	return !c.Direct && !slices.ContainsFunc(c.Steps, func(s rule.Step) bool { return !expressible(&s) })
}

func expressible(s *rule.Step) bool {
	fields, ok := inputs[s.Do]
	if !ok || s.Input.Text != nil && *s.Input.Text != "" {
		return false
	}
	for name, value := range s.Input.Fields {
		if !strings.Contains(fields[name], string(value[:1])) || string(value) == `""` && (name == "method" || name == "refused") {
			return false
		}
	}
	in := s.Input.Fields
	set := s.Do != "set_token" || in["access_token"] != nil && in["expires_at"] != nil && in["cache_key"] != nil
	var now *int64
	return set && (s.Now == nil || json.Unmarshal(s.Now, &now) == nil)
}

// request is what an adapter gets for a step.
func (c *course) request(s *rule.Step) (protocol.Request, error) {
	if s.Open != "" {
		return c.open(s)
	}
	r := protocol.Request{Op: s.Do, Fields: fields(s)}
	switch s.Do {
	case "store":
		store, err := c.storeOf(s.Store)
		r.Fields["store"] = store
		return r, err
	case "set_token":
		token := map[string]any{"token_type": "Bearer"}
		maps.Copy(token, r.Fields)
		r.Fields = map[string]any{"token": token}
	}
	r.Client = c.client(cmp.Or(s.Client, "c"))
	add(r.Fields, map[string]any{"timeout": s.Timeout})
	if s.Do != "close" {
		add(r.Fields, map[string]any{"now": s.Now})
	}
	return r, nil
}

// fields are those of the input.
func fields(s *rule.Step) map[string]any {
	all := map[string]any{}
	for name, value := range s.Input.Fields {
		all[name] = json.RawMessage(rule.Repeated(string(value)))
	}
	return all
}

// add adds fields that are set.
func add(to, fields map[string]any) {
	for name, value := range fields {
		if !reflect.ValueOf(value).IsZero() {
			to[name] = value
		}
	}
}

func (c *course) open(s *rule.Step) (r protocol.Request, err error) {
	r = protocol.Request{Op: "open", Client: c.client(s.Open), Fields: fields(s)}
	store, err := c.storeOf(s.Store)
	if err != nil {
		return r, err
	}
	add(r.Fields, map[string]any{"timeout": s.Timeout, "store": store, "now": rule.Start})
	if file := s.Input.Wasm(); file != "" {
		r.Fields["wasm"] = filepath.Join(Root, file)
	}
	config := merged(c.World.Config(), s.Config)
	var secrets []string
	if secret := s.Config["client_secret"]; secret != nil {
		secrets = append(secrets, *secret)
	}
	if content := config["client_secret_file"]; content != "" && content != "missing" {
		if config["client_secret_file"], err = c.secretFile(content); err != nil {
			return r, err
		}
		secrets = append(secrets, content)
	}
	for _, secret := range secrets {
		c.secrets = append(c.secrets, strings.Fields(secret)...) // of which an error may show one word
	}
	r.Fields["variables"] = Variables(config)
	return r, nil
}

// secretFile writes a file with this content, or these bytes in base64, and returns its name.
func (c *course) secretFile(content string) (string, error) {
	bytes := []byte(content)
	encoded, is := strings.CutPrefix(content, "base64:")
	folder, err := c.Folder()
	if is && err == nil {
		bytes, err = base64.StdEncoding.DecodeString(encoded)
	}
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp(folder, "secret")
	if err != nil {
		return "", err
	}
	_, err = file.Write(bytes)
	return file.Name(), errors.Join(err, file.Close())
}

// Variables are the names and values by which a library reads a config.
func Variables(config map[string]string) map[string]string {
	all := map[string]string{}
	for key, value := range config {
		all["ROSTERING_"+strings.ToUpper(key)] = value
	}
	return all
}

// Config is that of a scripted case.
func Config(w *world.World, c *rule.Case) (map[string]string, error) {
	filled, err := w.Fill(c)
	return merged(w.Config(), filled.Config), err
}

// merged merges values into those of a config; null removes one.
func merged(config map[string]string, values rule.Config) map[string]string {
	for name, value := range values {
		if value == nil {
			delete(config, name)
		} else {
			config[name] = *value
		}
	}
	return config
}

// storeOf is a store of the case alone.
func (c *course) storeOf(name string) (store map[string]string, err error) {
	if name == "" {
		return nil, nil
	}
	store = map[string]string{"name": c.client(name), "url": "memory:"}
	switch kind, _, _ := strings.Cut(name, " "); kind {
	case "http":
		store["url"] = c.Store.URL
	case "redis":
		store["url"], err = c.Redis()
	case "folder":
		var folder string
		folder, err = c.Folder()
		store["url"] = "file:" + folder
	}
	return store, err
}

// client is the adapter's name of a client or of a store.
func (c *course) client(name string) string { return c.name + " " + name }
