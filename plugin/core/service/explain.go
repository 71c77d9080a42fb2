package service

import (
	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/host"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
	"automatic-rostering/plugin/core/redact"
)

// Explain implements the export explain: the error for a response that is not a result.
func Explain(h host.Host, rawInput []byte) host.Result {
	in, err := input.ParseExplain(rawInput)
	if err != nil {
		return host.Fail(err)
	}
	if in.Status != 0 {
		h.Log(host.Debug, "HTTP "+ascii.Int(int64(in.Status))+" from the service")
	}
	secrets := append(in.Tokens, h.Config("client_secret"))
	return host.Result{Text: NewError(in.Message(), secrets).AppendJSON(nil)}
}

// MaxBody is how many bytes of a response go into an error: what an interpreter of WebAssembly
// reads, redacts and writes in some milliseconds.
const MaxBody = 4 << 10

// NewError returns the error for a response that is not a result, without any of the secrets.
func NewError(r *message.Response, secrets []string) *apierror.Error {
	if r.Failed() {
		return apierror.Network("no response from the service"+redact.Reason(r.Reason, secrets), "base_url")
	}
	e := &apierror.Error{Code: apierror.ServiceError, Status: r.Status}
	switch class := r.Status / 100; {
	case r.Status == 401:
		e.Code, e.Retryable = apierror.ServiceUnauthorized, true
		e.Message = apierror.TokenRefused
	case r.Status == 408 || r.Status == 429 || class < 1 || class >= 5:
		e.Retryable = true
		e.Message = "the service is unavailable; retry later"
		e.RetryAfter, _ = backoff.RetryAfter(r.RetryAfter)
	case class == 3 && r.Status != 304:
		e.Message = "the service redirects, which is not followed; check base_url and the path"
	default:
		e.Message = "the service refused the request; see body"
	}
	if r.Load != nil {
		// One byte more shows that there is more, with the rest of a secret that begins here. If the
		// host has cut a character there, and decoded its three bytes as U+FFFD each, those must be whole.
		body := r.Load(MaxBody + 9)
		e.Body, e.BodyTruncated = redact.Secrets(body, secrets, MaxBody, len(body) > MaxBody)
		e.HasBody = true
	}
	return e
}
