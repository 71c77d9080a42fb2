package rostering

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// Instance is an instance of the plugin, as [Drive] needs it. Call calls an export
// and gives its output or its error.
type Instance interface {
	Call(export string, input []byte) (output []byte, err error)
}

// Drive makes a call (get_token, list_jobs or send_request) on an instance of your
// own, by the exports begin and resume. The requests are sent with client
// ([http.DefaultClient] if nil), which follows no redirects here. The input is that
// of the call, a JSON object or nothing; without now in it, the time is handed in.
//
// It gives the token object or the body of the service's answer. An error of the
// instance is given as it is, or completed if it is an [*Error].
//
// Drive does not keep calls from each other: one at a time on an instance. For
// more, there is [Driver].
func Drive(ctx context.Context, plugin Instance, call string, input []byte, client *http.Client) ([]byte, error) {
	var fields map[string]json.RawMessage
	if len(bytes.TrimSpace(input)) > 0 {
		if err := json.Unmarshal(input, &fields); err != nil {
			return nil, fmt.Errorf("rostering: %s: the input is no JSON object: %w", call, err)
		}
	}
	in := map[string]any{}
	for name, value := range fields {
		in[name] = value
	}
	return newDriver(plugin, client).drive(ctx, call, in)
}
