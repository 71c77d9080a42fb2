package cli_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"automatic-rostering.example/rostering/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"rostering": cli.Main})
}

// The scripts run the command against the sandbox, which `make build/sandbox` builds.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			build, err := filepath.Abs("../build")
			e.Setenv("PATH", build+string(os.PathListSeparator)+e.Getenv("PATH"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("XDG_CACHE_HOME", e.WorkDir)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			// The secret of the sandbox, and its tokens, are in no output of the last command.
			"safe": func(s *testscript.TestScript, _ bool, _ []string) {
				for _, stream := range []string{"stdout", "stderr"} {
					text := s.ReadFile(stream)
					for _, secret := range []string{"sandbox-secret", "sandbox."} {
						if strings.Contains(text, secret+"-") || strings.Contains(text, "Bearer "+secret) {
							s.Fatalf("%s shows a secret", stream)
						}
					}
				}
			},
		},
	})
}

// command returns the path of the command.
func command(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	path := filepath.Join(t.TempDir(), "rostering")
	if err := cmp.Or(err, os.Symlink(self, path)); err != nil {
		t.Fatal(err)
	}
	return path
}

// It ends at the second signal while nothing takes what it writes.
func TestSignalsWhileItWrites(t *testing.T) {
	service := http.NewServeMux()
	service.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 1<<20)) })
	serve(t, service)
	c := exec.Command(command(t), "request", "GET", "/")
	stdout, err := c.StdoutPipe()
	if err := cmp.Or(err, c.Start()); err != nil {
		t.Fatal(err)
	}
	_, _ = stdout.Read(make([]byte, 1))
	ended := make(chan error, 1)
	go func() { _, err := c.Process.Wait(); ended <- err }()
	for range 100 {
		_ = c.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	_ = c.Process.Kill()
	t.Error("it still writes")
}

// It ends when it is canceled, and at its timeout, while it waits for standard input.
func TestStopsReading(t *testing.T) {
	for _, c := range []struct {
		name, args string
		canceled   bool
		status     int
	}{
		{"a secret", "token --client-secret-file -", true, 130},
		{"a body", "request POST / -d -", true, 130},
		{"a body that is late", "request POST / -d - --timeout 1s", false, 75},
	} {
		t.Run(c.name, func(t *testing.T) {
			service := http.NewServeMux()
			service.HandleFunc("POST /", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
			serve(t, service)
			ctx, cancel := context.WithCancel(t.Context())
			stdin := reader(func([]byte) (int, error) {
				if c.canceled {
					cancel()
				}
				<-t.Context().Done()
				return 0, io.EOF
			})
			ended := make(chan int, 1)
			go func() { ended <- cli.Run(ctx, strings.Fields(c.args), stdin, io.Discard, io.Discard) }()
			select {
			case status := <-ended:
				if status != c.status {
					t.Errorf("status %d", status)
				}
			case <-time.After(20 * time.Second):
				t.Error("it still reads")
			}
			cancel()
		})
	}
}

type reader func([]byte) (int, error)

func (r reader) Read(p []byte) (int, error) { return r(p) }

// serve serves tokens, and what else a service has, and sets the config for it.
func serve(t *testing.T, service *http.ServeMux) {
	t.Helper()
	service.HandleFunc("POST /connect/token", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"access_token":"the-token","token_type":"Bearer","expires_in":3600}`)
	})
	server := httptest.NewServer(service)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"ENVIRONMENT": "stage", "AUTH_URL": server.URL, "BASE_URL": server.URL,
		"CLIENT_ID": "c", "CLIENT_SECRET": "the-secret", "CUSTOMER_ID": "c", "USER_ID": "u", "CLIENT_SECRET_FILE": "",
	} {
		t.Setenv("ROSTERING_"+name, value)
	}
}

// proxy starts the sandbox with the proxy, and returns the proxy's URL and that of the controls.
func proxy(t *testing.T, args ...string) (url, status, controls string) {
	t.Helper()
	if _, err := os.Stat("../build/sandbox"); err != nil {
		t.Fatal("run make build/sandbox first")
	}
	script := `echo "controls $ROSTERING_SANDBOX_URL" >&2; exec ` + command(t) +
		` proxy --listen 127.0.0.1:0 --status 127.0.0.1:0 ` + strings.Join(args, " ")
	c := exec.Command("../build/sandbox", "sh", "-c", script)
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait() // the sandbox was interrupted
	})
	var address string
	for _, format := range []string{"controls %s", "rostering: listening on %s", "rostering: status on %s"} {
		line := make([]byte, 0, 100)
		for b := make([]byte, 1); b[0] != '\n'; line = append(line, b[0]) {
			if _, err := stderr.Read(b); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		if _, err := fmt.Sscanf(string(line), format, &address); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		switch format[0] {
		case 'c':
			controls = address
		default:
			url, status = status, "http://"+address
		}
	}
	go func() { _, _ = io.Copy(io.Discard, stderr) }()
	return url, status, controls
}

func do(t testing.TB, method, url string, body io.Reader, change func(*http.Request)) (int, string) {
	t.Helper()
	r, err := http.NewRequest(method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

func TestProxy(t *testing.T) {
	url, status, controls := proxy(t)
	_, got := do(t, "PUT", url+"/a%2Fb?c=d%20e;f&100%", strings.NewReader("the body"), func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer mine")
		r.Header["customer-id"] = []string{"other"}
		r.Header.Set("X-Mine", "1")
	})
	for _, part := range []string{`"PUT"`, `"/a%2Fb"`, `"c=d%20e;f\u0026100%"`, `"the body"`, `"customer_id":"sandbox-customer"`, `"x-mine":"1"`} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	if strings.Contains(got, "other") || strings.Contains(got, "Bearer") {
		t.Errorf("a header that came in was passed on: %s", got)
	}
	time.Sleep(2 * time.Second) // until then, a refused token may be one of which the service does not know yet
	do(t, "POST", controls+"/revoke", nil, nil)
	if code, got := do(t, "POST", url+"/again", strings.NewReader("twice"), nil); code != 200 || !strings.Contains(got, "twice") {
		t.Errorf("after a revocation: %d %s", code, got)
	}
	for path, want := range map[string]int{"/a/%2e%2e/b": 400, "/a/../b": 400, "/jobs": 200} {
		if code, got := do(t, "GET", url+path, nil, func(r *http.Request) { r.URL.Opaque = path }); code != want {
			t.Errorf("%s: %d %s", path, code, got)
		}
	}
	// A request that breaks off has no status, as it was not sent.
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc")
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(c); len(got) > 0 {
		t.Errorf("a request that breaks off gets %q, %v", got, err)
	}
	if code, _ := do(t, "GET", url+"/jobs", nil, func(r *http.Request) { r.Host = "evil.example" }); code != 421 {
		t.Errorf("another Host gets %d", code)
	}
	if _, got := do(t, "GET", status+"/-/status", nil, nil); !strings.Contains(got, `"token_requests":2`) {
		t.Errorf("the status is %s", got)
	}
	if _, got := do(t, "GET", status+"/-/metrics", nil, nil); !strings.Contains(got, "\nrostering_refused_tokens_total 1\n") {
		t.Errorf("the metrics are %s", got)
	}
	for fault, want := range map[string]string{`"status":503`: "fault", `"cut_off":true`: `"from":"rostering proxy","message":"POST \"/x\": EOF"`} {
		do(t, "POST", controls+"/faults", strings.NewReader(`{"server":"jobs","path":"/x",`+fault+`}`), nil)
		if code, got := do(t, "POST", url+"/x", nil, nil); code != 503 || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s", fault, code, got)
		}
	}
}

// The proxy says why a service does not respond, and whether a retry may help.
func TestProxyWithoutService(t *testing.T) {
	unknown := httptest.NewTLSServer(nil)
	defer unknown.Close()
	for base, want := range map[string]string{"http://127.0.0.1:1": "503 connection refused", unknown.URL: "502 unknown authority"} {
		url, _, _ := proxy(t, "--base-url", base)
		code, got := do(t, "GET", url+"/x?secret", nil, nil)
		status, reason, _ := strings.Cut(want, " ")
		if fmt.Sprint(code) != status || !strings.Contains(got, reason) || strings.Contains(got, "secret") {
			t.Errorf("%s: %d %s", base, code, got)
		}
	}
}

// Nothing is lost under load, and clients that leave, as well as large bodies, take no memory.
func TestProxyUnderLoad(t *testing.T) {
	url, _, _ := proxy(t)
	var all sync.WaitGroup
	requests := make(chan int)
	for range 50 {
		all.Go(func() {
			for n := range requests {
				id := fmt.Sprintf("request-%d.", n)
				if n%10 == 0 { // it leaves
					ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
					r, _ := http.NewRequestWithContext(ctx, "GET", url+"/"+id, nil)
					if response, err := http.DefaultClient.Do(r); err == nil {
						_ = response.Body.Close()
					}
					cancel()
					continue
				}
				if code, got := do(t, "POST", url+"/load", strings.NewReader(id), nil); code != 200 || !strings.Contains(got, id) {
					t.Errorf("%s: %d %s", id, code, got)
				}
			}
		})
	}
	for n := range 10_000 {
		requests <- n
	}
	close(requests)
	all.Wait()
}

// A body of 100 MB is streamed to a service that reads it slowly, and one is streamed back.
func TestProxyStreams(t *testing.T) {
	const size = 100 << 20
	service := http.NewServeMux()
	service.HandleFunc("PUT /large", func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_, _ = io.Copy(w, r.Body)
	})
	serve(t, service)
	ctx, cancel := context.WithCancel(t.Context())
	socket := filepath.Join(t.TempDir(), "s")
	ended := make(chan int)
	go func() {
		ended <- cli.Run(ctx, []string{"proxy", "--listen", "unix:" + socket}, nil, io.Discard, io.Discard)
	}()
	h := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (c net.Conn, err error) {
		for range 100 { // until it listens
			if c, err = net.Dial("unix", socket); !errors.Is(err, syscall.ENOENT) && !errors.Is(err, syscall.ECONNREFUSED) {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		return c, err
	}}}
	r, _ := http.NewRequest("PUT", "http://localhost/large", io.LimitReader(reader(func(p []byte) (int, error) { clear(p); return len(p), nil }), size))
	response, err := h.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, response.Body)
	if n != size || err != nil || response.StatusCode != 200 {
		t.Errorf("%d bytes came back, with %d, %v", n, response.StatusCode, err)
	}
	h.CloseIdleConnections()
	cancel()
	if status := <-ended; status != 0 {
		t.Errorf("the proxy ended with %d", status)
	}
	var rss bytes.Buffer
	usage, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(usage)) {
		if strings.HasPrefix(line, "VmHWM") {
			rss.WriteString(line)
		}
	}
	var kb int
	if _, err := fmt.Sscanf(rss.String(), "VmHWM: %d kB", &kb); err == nil && kb > 90<<10 {
		t.Errorf("the process had %d KB in memory", kb)
	}
}
