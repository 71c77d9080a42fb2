package script

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
)

// Transport sends requests to the scripted servers without a network, whether they listen or not.
var Transport http.RoundTripper = &inMemory

var (
	inMemory    handlers
	unusedHosts atomic.Uint32
)

// unused returns a host of its own, on the loopback network, for a server that does not listen.
func unused() string {
	n := unusedHosts.Add(1)
	return fmt.Sprintf("127.1.%d.%d:80", n>>8&255, n&255)
}

// handlers are those of all servers, by their hosts.
type handlers struct{ sync.Map }

// RoundTrip has the handler serve the request. One that aborts is a connection that closes.
func (h *handlers) RoundTrip(r *http.Request) (response *http.Response, err error) {
	handler, ok := h.Load(r.URL.Host)
	if !ok {
		return nil, fmt.Errorf("nobody listens at %s", r.URL.Host)
	}
	defer func() {
		if failure := recover(); failure == http.ErrAbortHandler {
			response, err = nil, fmt.Errorf("%s closed the connection", r.URL.Host)
		} else if failure != nil {
			panic(failure)
		}
	}()
	r.RequestURI = r.URL.RequestURI()
	recorder := httptest.NewRecorder()
	handler.(http.Handler).ServeHTTP(recorder, r)
	return recorder.Result(), nil
}
