package rule

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// UnmarshalJSON reads an object with one of the kinds, or a kind alone, which means its defaults: "token".
func (e *Exchange) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		b = fmt.Appendf(nil, "{%s:{}}", b)
	}
	type plain Exchange
	if err := strict(b, (*plain)(e)); err != nil {
		return err
	}
	for kind, there := range map[string]bool{
		"token": e.Token != nil, "jobs": e.Jobs != nil, "get": e.Get != nil, "set": e.Set != nil, "lock": e.Lock != nil,
		"add": e.Add != nil, "unlock": e.Unlock != nil, "wait": e.Wait != 0,
	} {
		if there && e.kind != "" {
			return fmt.Errorf("an exchange is %s or %s, not both", e.kind, kind)
		}
		if there {
			e.kind = kind
		}
	}
	if h := e.HTTP(); h != nil {
		h.complete(e.kind)
	}
	if o := e.Store(); o != nil {
		return o.complete(e.kind)
	}
	return nil
}

// Kind is that of its fields that it has.
func (e *Exchange) Kind() string { return e.kind }

// HTTP is its request, or nil.
func (e *Exchange) HTTP() *HTTP { return cmp.Or(e.Token, e.Jobs) }

// Store is its operation on the store, or nil.
func (e *Exchange) Store() *StoreOp { return cmp.Or(e.Get, e.Set, e.Lock, e.Add, e.Unlock) }

// UnmarshalJSON also reads the status of the response alone, or the access token.
func (h *HTTP) UnmarshalJSON(b []byte) error {
	type plain HTTP
	switch b[0] {
	case '{':
		return strict(b, (*plain)(h))
	case '"':
		return json.Unmarshal(b, &h.With)
	}
	return json.Unmarshal(b, &h.Response)
}

const (
	defaultToken   = TokenPrefix + "0001"
	defaultRequest = "1800000000" // when the token in the store was requested
)

// complete makes it the token request, or the request to the service, of the default config.
func (h *HTTP) complete(kind string) {
	h.With = cmp.Or(h.With, defaultToken)
	method, path, response := "GET", "/jobs", json.RawMessage(`{"made": "up"}`)
	headers := map[string]*string{
		"Authorization": new("Bearer " + h.With), "CUSTOMER_ID": new("customer-1"), "USER_ID": new("user-1"),
	}
	if kind == "token" {
		method, path = "POST", "/connect/token"
		headers = map[string]*string{"Content-Type": new("application/x-www-form-urlencoded")}
		if h.Body == nil {
			h.Body = encode("grant_type=client_credentials&client_id=client-1&client_secret=" + url.QueryEscape(Secret) +
				"&scope=automatic-rostering-stage")
		}
		if h.ExpiresIn == nil {
			h.ExpiresIn = json.RawMessage("3600")
		}
		response = encode(map[string]any{"access_token": h.With, "token_type": "Bearer", "expires_in": h.ExpiresIn})
	}
	maps.Copy(headers, h.Headers)
	h.Method, h.Path, h.Headers = cmp.Or(h.Method, method), cmp.Or(h.Path, path), headers
	if h.Response == nil {
		h.Response = &Response{Reply: Reply{Content: Content{Body: response}}}
	}
}

// UnmarshalJSON also reads a status alone.
func (r *Response) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &r.Status) == nil {
		return nil
	}
	type plain Response
	return strict(b, (*plain)(r))
}

// Text is the body as it is sent, or must come: a string, or the JSON text of another value.
func (c *Content) Text() []byte {
	text := jsonText(c.Body)
	if encoded, is := bytes.CutPrefix(text, []byte("base64:")); is {
		decoded, err := base64.StdEncoding.AppendDecode(nil, encoded)
		if err != nil {
			panic(err)
		}
		return decoded
	}
	return text
}

func jsonText(value json.RawMessage) []byte {
	var text *string
	if json.Unmarshal(value, &text) != nil || text == nil {
		return value
	}
	return []byte(Repeated(*text))
}

// Compressions is how often the body is compressed for a client that accepts that, or for any.
func (r *Response) Compressions(accepted bool) (times int) {
	if string(r.Gzip) == "true" && accepted {
		return 1
	}
	_ = json.Unmarshal(r.Gzip, &times) // 0 for true
	return times
}

// Compressed is the body after that was compressed so many times. One that is longer than what Repeated writes out is made once,
// for all cases.
func (r *Response) Compressed(times int) []byte {
	text := r.Text()
	match := repeated.FindSubmatch(text)
	switch {
	case times == 0:
		return text
	case match == nil:
		return compress(text, 1, times)
	}
	made, _ := large.LoadOrStore(fmt.Sprint(times, string(text)), sync.OnceValue(func() []byte {
		n, _ := strconv.Atoi(string(match[1])) // which has digits alone
		return compress(bytes.Repeat(match[2], 1<<16), n>>16, times)
	}))
	return made.(func() []byte)()
}

var large sync.Map

func compress(piece []byte, pieces, times int) []byte {
	var all bytes.Buffer
	z, _ := gzip.NewWriterLevel(&all, gzip.BestSpeed) // a known level
	for range pieces {
		_, _ = z.Write(piece) // into memory
	}
	_ = z.Close()
	if times > 1 {
		return compress(all.Bytes(), 1, times-1)
	}
	return all.Bytes()
}

// UnmarshalJSON also reads the short form, whose meaning depends on the kind.
func (o *StoreOp) UnmarshalJSON(b []byte) error {
	type plain StoreOp
	switch {
	case b[0] == '{':
		return strict(b, (*plain)(o))
	case string(b) == `"failed"`:
		o.failed = true
	case b[0] == '"':
		o.short = slices.Clone(b)
	default:
		return json.Unmarshal(b, &o.added)
	}
	return nil
}

// complete makes it an operation of this kind.
func (o *StoreOp) complete(kind string) error {
	o.kind, o.op = kind, cmp.Or(map[string]string{"lock": "get", "unlock": "set"}[kind], kind)
	o.TTL = cmp.Or(o.TTL, map[string]float64{"add": 10, "unlock": 1, "set": 3600}[kind])
	fields := map[string]json.RawMessage{}
	switch state := map[string]string{"add": "requesting", "unlock": "done"}[kind]; {
	case o.Value != nil:
	case o.short != nil && o.isLock():
		fields["state"] = o.short
	case o.short != nil:
		fields["access_token"] = o.short
	case state != "":
		fields["state"] = encode(state)
	case kind != "set":
		return nil
	}
	if o.Value == nil {
		o.Value = encode(fields)
	}
	return nil
}

// isLock reports whether it is an operation on the lock, not on the token.
func (o *StoreOp) isLock() bool { return o.kind != "get" && o.kind != "set" }

// Op is get, add or set.
func (o *StoreOp) Op() string { return o.op }

// HasKey reports whether a key is that of the operation, if the token has this one. The lock's ends in a number of the secret.
func (o *StoreOp) HasKey(key string, cacheKey string) bool {
	if rest, ok := strings.CutPrefix(key, cacheKey+":lock:"); o.isLock() {
		_, err := strconv.ParseUint(rest, 10, 16)
		return ok && err == nil
	}
	return key == cacheKey
}

// FullValue returns the value that add and set must pass, or that get returns, or nil. Fields of a token override those of
// token-0001.
func (o *StoreOp) FullValue(cacheKey string) *string {
	if o.Value == nil {
		return nil
	}
	text := string(jsonText(o.Value))
	var fields map[string]json.RawMessage
	if !o.isLock() && json.Unmarshal(o.Value, &fields) == nil {
		token := map[string]json.RawMessage{
			"access_token": encode(defaultToken), "token_type": encode("Bearer"), "expires_at": json.RawMessage(startExpiry),
			"cache_key": encode(cacheKey), "requested_at": json.RawMessage(defaultRequest),
		}
		maps.Copy(token, fields)
		maps.DeleteFunc(token, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
		text = string(encode(token))
	}
	return &text
}

// Result is what resume takes after the operation.
func (o *StoreOp) Result(cacheKey string) map[string]any {
	switch {
	case o.failed:
		return map[string]any{"failed": "the store is down"}
	case o.op == "get":
		return map[string]any{"value": o.FullValue(cacheKey)}
	case o.op == "add":
		return map[string]any{"added": o.added}
	}
	return map[string]any{}
}
