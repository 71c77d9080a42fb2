//go:build !tinygo

package main

import (
	"encoding/json"
	"io"
	"net/http"
)

// decode decodes a request as an Extism host does. The plugin made it, so one that does not
// decode is a bug in the core and may end the program.
func decode(meta []byte, body io.Reader) *http.Request {
	var m struct {
		Method  string            `json:"method"`
		URL     string            `json:"url"`
		Headers map[string]string `json:"headers"`
	}
	if err := json.Unmarshal(meta, &m); err != nil {
		panic(err)
	}
	r, err := http.NewRequest(m.Method, m.URL, body)
	if err != nil {
		panic(err)
	}
	for name, value := range m.Headers {
		r.Header.Set(name, value)
	}
	return r
}
