package service

import (
	"bytes"

	"automatic-rostering.example/rostering/plugin/core/apierror"
	"automatic-rostering.example/rostering/plugin/core/ascii"
	"automatic-rostering.example/rostering/plugin/core/backoff"
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/json"
	"automatic-rostering.example/rostering/plugin/core/message"
	"automatic-rostering.example/rostering/plugin/core/redact"
)

// Explain implements the export explain: the error for a response that is not a result.
func Explain(h host.Host, rawInput []byte) host.Result {
	in, err := input.ParseExplain(rawInput)
	if err != nil {
		return host.Fail(err)
	}
	search := redact.NewSearch(append(in.Tokens, h.Config("client_secret")))
	e := newError(&in.Response.Response, &in.Request, search, clock.Now(h, &in.Override))
	line := "no response"
	if in.Status != 0 {
		line = "HTTP " + ascii.Int(int64(in.Status))
	}
	if e.Path == "" {
		line += " from the service"
	} else {
		line += " to " + e.Request()
	}
	if in.Milliseconds >= 0 {
		line += " after " + ascii.Int(in.Milliseconds) + " ms"
	}
	h.Log(host.Debug, line)
	return host.Result{Text: e.JSON()}
}

// MaxBody is how many bytes of a response go into an error: what an interpreter of WebAssembly
// reads, redacts and writes in some milliseconds.
const MaxBody = 4 << 10

// NewError returns the error for a response that is not a result, at a time or 0, without any of the
// secrets. The request may be unknown.
func NewError(r *message.Response, request *input.Own, secrets []string, now int64) *apierror.Error {
	return newError(r, request, redact.NewSearch(secrets), now)
}

func newError(r *message.Response, request *input.Own, search *redact.Search, now int64) *apierror.Error {
	e := explain(r, search, now)
	if request.Path != "" {
		path, _, _ := ascii.Cut(request.Path, "?")
		e.Method, e.Path = request.Method, search.Given(path)
		e.Message = e.Request() + ": " + e.Message
	}
	return e
}

func explain(r *message.Response, search *redact.Search, now int64) *apierror.Error {
	if r.Failed() {
		return apierror.Network("no response from the service"+search.Reason(r.Failure), r.Reason, "base_url")
	}
	e := &apierror.Error{Code: apierror.ServiceError, Status: r.Status}
	switch class := r.Status / 100; {
	case r.Status == 401:
		e.Code, e.Retryable = apierror.ServiceUnauthorized, true
		e.Message = apierror.TokenRefused
	case r.Status == 408 || r.Status == 429 || class < 1 || class >= 5:
		e.Retryable = true
		e.Message = "the service is unavailable; retry later"
	case class == 3 && r.Status != 304:
		e.Message = "redirects are not followed; check base_url and the path"
	default:
		e.Message = "the service refused the request; see body"
	}
	if r.Status != 401 { // whose retry depends on the token
		e.RetryAfter = backoff.RetryAfter(r.RetryAfter, r.Date, now)
	}
	if r.Headers != nil {
		e.Headers = cleanHeaders(r.Headers, search)
	}
	if r.Load != nil {
		// One byte more shows that there is more, with the rest of a secret that begins here. If the
		// host has cut a character there, and decoded its three bytes as U+FFFD each, those must be whole.
		body := r.Load(MaxBody + 9)
		e.Body, e.BodyTruncated = search.Redact(body, MaxBody, len(body) > MaxBody)
		e.HasBody = true
	}
	return e
}

// The limits of the headers of an error: how many, and how many bytes of JSON.
const (
	maxHeaders     = 100
	maxHeadersSize = 8 << 10
)

// cleanHeaders returns the first headers of a JSON object, without what the search finds: in a name, which
// then is in lower case, in any case. It copies everything but strings.
func cleanHeaders(headers json.Value, search *redact.Search) []byte {
	first := headers[:min(len(headers), maxHeadersSize)] // if it is clean, no more is copied
	folded := search.Folded()
	unchanged := search.Clean(first) && folded.Clean([]byte(ascii.Lower(string(first))))
	clean, whole, count, inList, isName := json.Writer("{"), 1, 0, false, true
	for at := 1; at < len(headers) && count < maxHeaders; {
		c, end := headers[at], at+1
		switch c {
		case '"':
			end = headers.StringEnd(at)
		case '[', ']':
			inList = c == '['
		case ':':
			isName = false
		case ',', '}':
			if !inList && len(clean) <= maxHeadersSize { // as JSON, a character may be longer
				whole, isName = len(clean), true
				count++
			}
		}
		if len(clean)+end-at > maxHeadersSize {
			break
		}
		if c == '"' && !unchanged {
			text, _ := headers[at:end].Decode()
			if isName {
				lower := []byte(ascii.Lower(string(text)))
				if shown, _ := folded.Redact(lower, maxHeadersSize, false); !bytes.Equal(shown, lower) {
					text = shown
				}
			}
			text, _ = search.Redact(text, maxHeadersSize, false)
			clean.Bytes(text)
		} else {
			clean.Raw(string(headers[at:end]))
		}
		at = end
	}
	clean = clean[:whole]
	clean.Raw("}")
	return clean
}
