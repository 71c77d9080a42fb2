package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// timeline has what the page shows: the newest requests, and uses of the controls. It has no secrets
// and no tokens.
type timeline struct {
	mu      sync.Mutex
	next    int
	entries []*entry
	changes int           // so far
	changed chan struct{} // closed and replaced at each change
}

// entry is a request, or the use of a control.
type entry struct {
	ID     int    `json:"id"`
	At     int64  `json:"at"`               // Unix milliseconds
	Server string `json:"server,omitempty"` // AuthServer or JobsServer
	Lane   string `json:"lane,omitempty"`   // of the instance that sent it
	Port   string `json:"port,omitempty"`   // of its connection
	Method string `json:"method,omitempty"`
	Path   string `json:"path,omitempty"`
	Token  string `json:"token,omitempty"` // its short hash
	// Status is 0 while the request is in progress, and -1 if it was cut off.
	Status   int    `json:"status"`
	Duration int64  `json:"duration_ms"`
	Switch   string `json:"switch,omitempty"` // the control

	change int // its last
}

func newTimeline() *timeline { return &timeline{changed: make(chan struct{})} }

// add adds an entry, and removes the oldest if there are too many.
func (t *timeline) add(e *entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.next++
	e.ID, e.At = t.next, time.Now().UnixMilli()
	if len(t.entries) == maxRequests {
		t.entries = t.entries[1:]
	}
	t.entries = append(t.entries, e)
	t.touch(e)
}

// end completes the entry of a request with its response.
func (t *timeline) end(e *entry, status int, token string, took time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e.Status, e.Duration = status, took.Milliseconds()
	if token != "" {
		e.Token = token
	}
	t.touch(e)
}

func (t *timeline) touch(e *entry) {
	t.changes++
	e.change = t.changes
	close(t.changed)
	t.changed = make(chan struct{})
}

// since returns copies of the entries that have changed after the first so many changes.
func (t *timeline) since(changes int) (entries []entry, now int, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if e.change > changes {
			entries = append(entries, *e)
		}
	}
	return entries, t.changes, t.changed
}

// shown adds the requests to a server to the timeline.
func (t *timeline) shown(server string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e := &entry{Server: server, Method: known(r.Method, methods), Path: known(r.URL.Path, []string{tokenPath, jobsPath})}
		e.Lane, e.Port = lane(r)
		if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
			e.Token = shortHash(token)
		}
		t.add(e)
		began := time.Now()
		rec := &tokenRecorder{recorder: recorder{ResponseWriter: w}}
		defer func() {
			status, ok := rec.outcome().(int)
			if !ok {
				status = -1
			}
			t.end(e, status, rec.token, time.Since(began))
		}()
		next.ServeHTTP(rec, r)
	})
}

// lane returns a name for the instance that sent a request, from its User-Agent, which may have an id,
// and its host; and the port of its connection.
func lane(r *http.Request) (lane, port string) {
	lane = r.UserAgent()
	if lane == "" {
		lane = "no User-Agent"
	}
	host, port, _ := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		lane = host + " " + lane
	}
	return fmt.Sprintf("%.80s", lane), port
}

// tokenRecorder also records the token in a response.
type tokenRecorder struct {
	recorder
	token string
}

// Write implements http.ResponseWriter.
func (r *tokenRecorder) Write(b []byte) (int, error) {
	var response struct {
		AccessToken string `json:"access_token"`
	}
	if json.Unmarshal(b, &response) == nil && response.AccessToken != "" {
		r.token = shortHash(response.AccessToken)
	}
	return r.recorder.Write(b)
}

// shortHash returns a name for a token that shows nothing of it.
func shortHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}
