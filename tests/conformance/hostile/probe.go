package hostile

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"automatic-rostering/tests/conformance/canary"
	"automatic-rostering/tests/conformance/protocol"
	"automatic-rostering/tests/conformance/run"
)

// Result is how a call ends, by the name of the kind, if the token endpoint or the service is
// hostile: the code of its error, or a result.
type Result struct {
	Token   map[string]string `json:"token"`
	Service map[string]string `json:"service"`
}

// The timeouts of calls: those that nothing else ends have a short one.
const (
	timeout      = 30 * time.Second
	shortTimeout = 1500 * time.Millisecond
)

// server is a token endpoint and a service, of which one does what no server should.
type server struct {
	net.Listener
	doing atomic.Pointer[doing]
}

type doing struct {
	path  string
	kind  Kind
	times atomic.Int32
}

func start() (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{Listener: l}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c)
		}
	}()
	return s, nil
}

func (s *server) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		form, _ := io.ReadAll(r.Body)
		if d := s.doing.Load(); d != nil && d.path == r.URL.Path {
			d.times.Add(1)
			asked, _ := url.QueryUnescape(string(form))
			d.kind.do(c, asked+r.Header.Get("Authorization"))
			return
		}
		body := `{"access_token":"token-0001","token_type":"Bearer","expires_in":3600}`
		if r.URL.Path != "/connect/token" {
			body = `{"jobs":[]}`
		}
		_, _ = io.WriteString(c, sized(body))
	}
}

// Probe has a client of a library meet each kind, and then a server as it should be.
func Probe(h *run.Host) (Result, error) {
	bombs() // which takes a while to make
	all := Result{map[string]string{}, map[string]string{}}
	var failed []error
	for n, k := range Kinds {
		for path, outcomes := range map[string]map[string]string{"/connect/token": all.Token, "/jobs": all.Service} {
			// A server for each: what one leaves in a connection is no other's.
			s, err := start()
			if err != nil {
				return all, err
			}
			p := &probe{h, s, fmt.Sprintf("hostile %d %s", n, path)}
			outcome, wrong := p.run(path, k)
			if wrong != nil {
				failed = append(failed, fmt.Errorf("%s of %s: %w", k.Name, path, wrong))
			}
			outcomes[k.Name] = outcome
			s.Close()
		}
	}
	return all, errors.Join(failed...)
}

type probe struct {
	host     *run.Host
	server   *server
	instance string
}

func (p *probe) run(path string, k Kind) (outcome string, err error) {
	origin := "http://" + p.server.Addr().String()
	made, err := p.host.Do(protocol.Request{
		Op: "open", Client: p.instance, Config: map[string]string{
			"environment": "stage", "auth_url": origin, "base_url": origin,
			"client_id": "client-1", "client_secret": Secret, "customer_id": "customer-1", "user_id": "user-1",
		}, Open: protocol.Open{Clock: true},
	})
	if err != nil || made.Trap+made.Error != "" {
		return "", fmt.Errorf("no client: %s%s, %w", made.Trap, made.Error, err)
	}
	defer p.host.Do(protocol.Request{Op: "close", Client: p.instance})
	now := &doing{path: path, kind: k}
	p.server.doing.Store(now)
	before := memory(p.host.Process.PID())
	limit := timeout
	if k.drips {
		limit = shortTimeout
	}
	a, err := p.list(1800000000, limit)
	p.server.doing.Store(nil)
	if err != nil {
		return "", err
	}
	if outcome, err = read(a); err != nil {
		return "", err
	}
	if n := now.times.Load(); n > 1 { // the library's HTTP client repeats it
		outcome += fmt.Sprintf(", after %d requests", n)
	}
	if grown := memory(p.host.Process.PID()) - before; grown > mostMemory {
		return "", fmt.Errorf("the library took %d MB for it", grown>>20)
	}
	// After the backoff. What is left in the connection may fail it; then the one after it succeeds.
	next, err := p.list(1800000100, timeout)
	if strings.Contains(next.Error, `"network_error"`) {
		next, err = p.list(1800000200, timeout)
	}
	if err == nil && next.Status != 200 {
		err = fmt.Errorf("the next call ends with %+v", next)
	}
	return outcome, err
}

func (p *probe) list(now int64, timeout time.Duration) (protocol.Response, error) {
	return p.host.Do(protocol.Request{Op: "list_jobs", Client: p.instance, Call: protocol.Call{
		Now: &now, Timeout: fmt.Append(nil, timeout.Seconds()),
	}})
}

// read returns how a call ended. Its error must explain what to do, and not show the secret.
func read(a protocol.Response) (string, error) {
	shown := strings.Join([]string{a.Error, a.Text, a.Shown, a.Cause, a.Misuse, a.Trap}, "\n")
	if a.Error != "" { // the headers of a result are as the service sent them
		headers, _ := json.Marshal(a.Headers)
		shown += string(headers)
	}
	for _, secret := range []string{First, Second, "token-00"} {
		if canary.Shows(shown, secret) {
			return "", fmt.Errorf("the error shows a secret: %.3000s", shown)
		}
	}
	if a.Trap+a.Misuse != "" || a.Canceled {
		return "", fmt.Errorf("the call ends with %+v", a)
	}
	if a.Error == "" {
		return fmt.Sprintf("%d, %s", a.Status, size(len(a.Body))), nil
	}
	var e struct {
		Code, Message string
		Retryable     bool
		Status        int
	}
	if err := json.Unmarshal([]byte(a.Error), &e); err != nil || e.Code == "" || e.Message == "" || len(a.Error) > 100_000 {
		return "", fmt.Errorf("the error is %.300s", a.Error)
	}
	if e.Retryable {
		e.Code += ", retryable"
	}
	return e.Code, nil
}

func size(n int) string {
	if n < 1<<10 {
		return fmt.Sprint(n, " bytes")
	}
	return fmt.Sprint(n>>10, " KB")
}
