package suite

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"automatic-rostering/tests/conformance/held"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/scenario"
)

// start is the clients' time at the beginning, in Unix seconds.
const start = 1800000000

// world is the servers and the clients of one case.
type world struct {
	testing.TB
	host    Adapter
	name    string // begins the names of the clients
	servers map[string]*server
	store   *held.Store
	folder  string
	kind    string // of the store each
	redis   func(testing.TB) string
	sent    map[string][]*protocol.Pending
	clients []string
	arrived map[string][]*held.Request
}

// Adapter is an adapter, or what stands for one.
type Adapter interface {
	Send(protocol.Request) (*protocol.Pending, error)
	Logs(client string) []protocol.Log
}

// server is a server that responds as a case says.
type server struct {
	*held.Server
	mutex   sync.Mutex
	replies []Reply
	last    *Saw
	text    *strings.Replacer
}

func newServer(t testing.TB, then http.HandlerFunc) *server {
	s := &server{text: strings.NewReplacer()}
	s.Server = held.New(t, func(w http.ResponseWriter, r *http.Request, body []byte) {
		s.note(r, body)
		if reply := s.next(); reply != nil {
			reply.write(w, r, s.text)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		then(w, r)
	})
	return s
}

func (s *server) note(r *http.Request, body []byte) {
	saw, text := &Saw{Method: r.Method, Path: r.RequestURI, Headers: map[string]string{}}, string(body)
	saw.Body = &text
	for name, values := range r.Header {
		saw.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.last = saw
}

// next is the next response that a case asked for, or nil.
func (s *server) next() *Reply {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.replies) == 0 {
		return nil
	}
	reply := s.replies[0]
	if s.replies[0].Times--; s.replies[0].Times == 0 {
		s.replies = s.replies[1:]
	}
	return &reply
}

func (s *server) set(replies []Reply) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.replies = slices.Clone(replies)
	for i := range s.replies {
		s.replies[i].Times = cmp.Or(s.replies[i].Times, 1)
	}
}

func (r *Reply) write(w http.ResponseWriter, to *http.Request, text *strings.Replacer) {
	if r.Drop {
		panic(http.ErrAbortHandler)
	}
	for name, value := range r.Headers {
		w.Header().Set(name, text.Replace(value))
	}
	compress := r.Gzip && strings.Contains(to.Header.Get("Accept-Encoding"), "gzip")
	if compress {
		w.Header().Set("Content-Encoding", "gzip")
	}
	w.WriteHeader(max(r.Status, 200))
	body := []byte(scenario.Repeated(text.Replace(r.Body)))
	if !compress {
		_, _ = w.Write(body)
		return
	}
	z := gzip.NewWriter(w)
	_, _ = z.Write(body)
	_ = z.Close()
}

func newWorld(t testing.TB, host Adapter, name, kind string, redis func(testing.TB) string) *world {
	w := &world{
		TB: t, host: host, name: name, kind: kind, redis: redis, store: held.NewStore(t), folder: t.TempDir(),
		sent: map[string][]*protocol.Pending{}, arrived: map[string][]*held.Request{},
	}
	given := 0
	var mutex sync.Mutex
	w.servers = map[string]*server{
		"auth": newServer(t, func(to http.ResponseWriter, _ *http.Request) {
			mutex.Lock()
			defer mutex.Unlock()
			given++
			fmt.Fprintf(to, `{"access_token":"token-%04d","token_type":"Bearer","expires_in":3600}`, given)
		}),
		"service": newServer(t, echo),
		"other":   newServer(t, echo),
		"store":   {Server: w.store.Server},
	}
	unknown := httptest.NewUnstartedServer(http.HandlerFunc(echo))
	unknown.Config.ErrorLog = log.New(io.Discard, "", 0) // what clients say to its certificate
	unknown.StartTLS()
	t.Cleanup(unknown.Close)
	names := strings.NewReplacer(
		"{{tls}}", unknown.URL,
		"{{auth}}", w.servers["auth"].URL, "{{service}}", w.servers["service"].URL, "{{other}}", w.servers["other"].URL,
		"{{secret}}", held.Secret, "{{key}}", "rostering:"+name,
		"{{service.host}}", strings.TrimPrefix(w.servers["service"].URL, "http://"),
		"{{auth.host}}", strings.TrimPrefix(w.servers["auth"].URL, "http://"),
		"{{cache_key}}", "rostering:"+url.QueryEscape(w.servers["auth"].URL+"/connect/token")+":client-1:automatic-rostering-stage",
	)
	for _, s := range w.servers {
		s.text = names
	}
	return w
}

// echo responds with what came.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	said := map[string]any{
		"method": r.Method, "path": r.RequestURI, "bytes": len(body), "token": strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "),
	}
	for name, header := range map[string]string{"customer_id": "CUSTOMER_ID", "user_id": "USER_ID", "user_agent": "User-Agent", "content_type": "Content-Type"} {
		for given, values := range r.Header {
			if strings.EqualFold(given, header) {
				said[name] = strings.Join(values, ", ")
			}
		}
	}
	if len(body) < 1000 {
		said["body"] = string(body)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(said)
}
