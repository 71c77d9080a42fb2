package model

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"automatic-rostering/plugin/core/call"
)

// output is what an export returned, read as a driver reads it.
type output struct {
	text   string
	failed bool
	words  string // the output in the words of the model

	flow    string
	step    string
	purpose string
	last    bool
	until   int64
	renew   bool
	token   string // in the request to the service, in the token object, or to be stored
	expires int64
	method  string
	url     string
	headers gjson.Result
	body    gjson.Result
	op      string
	key     string
	value   string
	ttl     int64
	seconds float64

	code       string
	retryable  bool
	retryAfter int64
	status     int64
	problem    string // how it breaks the contract
}

// read reads the result of an export.
func read(h *host, s *call.Step) (o output) {
	text := s.Output
	if s.Kind == call.GiveHeld {
		text = h.Held
	}
	o.text = string(text)
	if o.failed = s.Kind == call.Fail; o.failed {
		o.readError()
		return o
	}
	if len(text) == 0 {
		o.words = "nothing"
		return o
	}
	if !json.Valid(text) {
		o.problem = "it is not JSON"
		return o
	}
	gjson.Parse(o.text).ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "step":
			o.step = v.Str
		case "for":
			o.purpose = v.Str
		case "flow":
			o.flow = v.Raw
		case "last":
			o.last = v.Bool()
		case "until":
			o.until = v.Int()
		case "renew":
			o.renew = v.Bool()
		case "request":
			o.readRequest(v)
		case "output":
			o.token, o.expires = v.Get("access_token").Str, v.Get("expires_at").Int()
		case "op":
			o.op = v.Str
		case "key":
			o.key = v.Str
		case "value":
			o.value = v.Str
		case "ttl":
			o.ttl = v.Int()
		case "seconds":
			o.seconds = v.Num
		case "timeout", "limit":
		default:
			o.problem = "a step has no " + name.Str
		}
		return true
	})
	o.words = o.inWords()
	if o.words == "" && o.problem == "" {
		o.problem = "it is not a step"
	}
	if o.renew {
		o.words += renews
	}
	return o
}

func (o *output) readRequest(r gjson.Result) {
	o.method, o.url, o.headers, o.body = r.Get("method").Str, r.Get("url").Str, r.Get("headers"), r.Get("body")
	o.token = strings.TrimPrefix(o.headers.Get("Authorization").Str, "Bearer ")
}

// inWords returns the step in the words of the model.
func (o *output) inWords() string {
	lock := strings.HasSuffix(o.key, ":asking")
	switch o.step {
	case "request":
		if o.purpose == "token" {
			return "token request"
		}
		return "service " + o.token
	case "wait":
		if o.purpose == "call" {
			return "wait for call"
		}
		return "wait for store"
	case "store":
		switch {
		case o.op == "get" && lock:
			return "get lock"
		case o.op == "get":
			return "get token"
		case o.op == "add" && lock:
			return "add lock"
		case o.op == "set" && lock:
			return "set lock " + gjson.Get(o.value, "state").Str
		case o.op == "set" && gjson.Get(o.value, "state").Exists():
			return "set token " + gjson.Get(o.value, "state").Str
		case o.op == "set":
			o.token, o.expires = gjson.Get(o.value, "access_token").Str, gjson.Get(o.value, "expires_at").Int()
			return "set token " + o.token
		}
	case "done":
		if o.token != "" {
			return "done " + o.token
		}
		return "done"
	}
	return ""
}

// codes are those of the contract, each with its retryable, or "" if that depends.
var codes = map[string]string{
	"invalid_input": "false", "config_missing": "false", "config_invalid": "false", "clock_unusable": "false",
	"token_endpoint_rejected": "false", "token_endpoint_unavailable": "true", "token_response_invalid": "true",
	"token_mismatch": "false", "service_unauthorized": "", "service_error": "", "network_error": "true",
}

func (o *output) readError() {
	if !json.Valid([]byte(o.text)) {
		o.problem = "an error that is not JSON"
		return
	}
	e := gjson.Parse(o.text)
	o.code, o.retryable = e.Get("code").Str, e.Get("retryable").Bool()
	o.retryAfter, o.status = e.Get("retry_after").Int(), e.Get("status").Int()
	o.words = "error " + o.code
	if o.code == "service_unauthorized" && o.retryable {
		o.words += " retryable"
	}
	o.problem = errorProblem(e, o)
}

// errorProblem returns how an error differs from the contract's table, or "".
func errorProblem(e gjson.Result, o *output) string {
	retryable, known := codes[o.code]
	key := e.Get("key").Str
	service, endpoint := o.code == "service_error", strings.HasPrefix(o.code, "token_endpoint_")
	switch {
	case !known:
		return "an error without a known code"
	case e.Get("message").Str == "":
		return "an error without a message"
	case !e.Get("retryable").IsBool() || retryable != "" && e.Get("retryable").Raw != retryable:
		return "retryable is not as the table has it"
	case service && o.retryable != (o.status == 408 || o.status == 429 || o.status/100 == 5):
		return "retryable does not fit the status"
	case (o.code == "invalid_input" || strings.HasPrefix(o.code, "config_")) && key == "":
		return "an error without its key"
	case o.code == "token_endpoint_rejected" && o.status/100 != 3 && o.status/100 != 4,
		o.code == "token_endpoint_unavailable" && (o.status/100 == 2 || o.status == 0),
		service && (o.status/100 == 2 || o.status == 401):
		return "the status does not fit the code"
	case e.Get("retry_after").Exists() && o.retryAfter < 1:
		return "retry_after is below 1"
	case e.Get("body").Exists() && !service && o.code != "service_unauthorized",
		e.Get("oauth_error").Exists() && !endpoint && o.code != "token_response_invalid":
		return "a field that this code does not have"
	}
	return ""
}
