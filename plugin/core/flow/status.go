package flow

import (
	"automatic-rostering.example/rostering/plugin/core/clock"
	"automatic-rostering.example/rostering/plugin/core/host"
	"automatic-rostering.example/rostering/plugin/core/input"
	"automatic-rostering.example/rostering/plugin/core/json"
)

// Status implements the export status: what the instance knows of its token and its backoff, and what
// happened since it was created.
func Status(h host.Host, rawInput []byte) host.Result {
	in, err := input.Parse(rawInput, input.Status)
	if err != nil {
		return host.Fail(err)
	}
	f := New(h, clock.Now(h, &in.Override))
	f.settleBackoff()
	c := &f.instance.Counts
	var w json.Writer
	w.Raw(`{"token_requests":`)
	w.Int(c.TokenRequests)
	w.Number("failed_token_requests", c.FailedRequests)
	w.Number("refused_tokens", c.RefusedTokens)
	w.Number("store_failures", c.StoreFailures)
	if t := &f.instance.Token; f.usable(t) && t.ExpiresAt != 0 {
		w.Number("token_expires_at", t.ExpiresAt)
		w.Number("renew_at", t.RenewAt())
	}
	if left := f.left(); left > 0 {
		w.Number("retry_at", f.now+left)
		failure := json.Value("{" + string(f.members()) + "}")
		w.Raw(`,"error":{"code":`)
		w.Text(failure.Get("code").Text())
		w.Name("message")
		w.Text(failure.Get("message").Text())
		w.Raw("}")
	}
	w.Raw("}")
	return host.Result{Text: w}
}
