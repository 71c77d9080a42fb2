package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// service counts the requests for tokens.
type service struct {
	*httptest.Server
	tokens int
	env    map[string]string
}

func serve(t *testing.T) *service {
	t.Helper()
	s := &service{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /connect/token", func(w http.ResponseWriter, _ *http.Request) {
		s.tokens++
		_, _ = fmt.Fprintf(w, `{"access_token":"a-secret-%d","expires_in":3600,"token_type":"Bearer"}`, s.tokens)
	})
	mux.HandleFunc("GET /jobs", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[1]") })
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // not the user's
	s.env = map[string]string{
		"ROSTERING_AUTH_URL":      s.URL,
		"ROSTERING_BASE_URL":      s.URL,
		"ROSTERING_ENVIRONMENT":   "stage",
		"ROSTERING_CLIENT_ID":     "client",
		"ROSTERING_CLIENT_SECRET": "s3cr3t",
		"ROSTERING_CUSTOMER_ID":   "customer",
		"ROSTERING_USER_ID":       "user",
		"ROSTERING_TOKEN_FILE":    filepath.Join(t.TempDir(), "token.json"),
	}
	return s
}

// call handles a call, as a new process would, and wants so many token requests until then.
func (s *service) call(t *testing.T, tokens int) (log string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	err := handle(t.Context(), func(name string) string { return s.env[name] }, &stdout, &stderr)
	if err != nil || stdout.String() != "[1]" || s.tokens != tokens {
		t.Fatalf("got %q, %v after %d token requests, not %d", stdout.String(), err, s.tokens, tokens)
	}
	if strings.Contains(stderr.String(), "a-secret-") {
		t.Errorf("the log shows a token: %s", stderr.String())
	}
	return stderr.String()
}

func TestTheTokenOutlivesTheProcess(t *testing.T) {
	s := serve(t)
	if log := s.call(t, 1); !strings.Contains(log, "token from the identity provider") {
		t.Errorf("the log says %s", log)
	}
	for range 2 {
		if log := s.call(t, 1); !strings.Contains(log, "token from the file") {
			t.Errorf("the log says %s", log)
		}
	}
	info, err := os.Stat(s.env["ROSTERING_TOKEN_FILE"])
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
}

func TestAFileThatIsOfNoUse(t *testing.T) {
	for name, content := range map[string]string{
		"no JSON":          "token",
		"another client's": `{"access_token":"a","token_type":"Bearer","expires_at":4000000000,"cache_key":"other"}`,
		"expired":          `{"access_token":"a","token_type":"Bearer","expires_at":1,"cache_key":"other"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t)
			if err := os.WriteFile(s.env["ROSTERING_TOKEN_FILE"], []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			s.call(t, 1)
			s.call(t, 1)
		})
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	s := serve(t)
	s.env["ROSTERING_TOKEN_FILE"] = filepath.Join(t.TempDir(), "missing", "token.json")
	if log := s.call(t, 1); !strings.Contains(log, "the token is not kept") {
		t.Errorf("the log says %s", log)
	}
	s.call(t, 2)
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	s := serve(t)
	for _, name := range []string{"ROSTERING_TOKEN_FILE", "ROSTERING_CLIENT_ID"} {
		err := handle(t.Context(), func(n string) string { return map[bool]string{true: s.env[n]}[n != name] }, io.Discard, io.Discard)
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
