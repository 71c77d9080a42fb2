package rostering_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	rostering "automatic-rostering.example/rostering/sdk/go"
)

const provider, service = "login.example.com", "rostering.example.com"

var fullConfig = rostering.Config{
	Environment: rostering.Stage, AuthURL: "https://" + provider, BaseURL: "https://" + service,
	ClientID: "client", ClientSecret: rostering.NewSecret("the-client-secret"), CustomerID: "customer", UserID: "user",
}

const someToken = `{"access_token":"token-0001","expires_in":3600,"token_type":"Bearer"}`

// serve starts a server that is a token endpoint and a service, and returns a config for it.
func serve(service http.HandlerFunc) (*httptest.Server, rostering.Config) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/connect/token" {
			responds(http.StatusOK, someToken)(w, r)
		} else {
			service(w, r)
		}
	}))
	config := fullConfig
	config.AuthURL, config.BaseURL = s.URL, s.URL
	return s, config
}

func responds(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// open starts a server and creates a client for it.
func open(t *testing.T, service http.HandlerFunc, options ...rostering.Option) (*httptest.Server, *rostering.Client) {
	t.Helper()
	s, config := serve(service)
	t.Cleanup(s.Close)
	return s, newClient(t, config, options...)
}

// newClient creates a client that is closed at the end of the test.
func newClient(t *testing.T, config rostering.Config, options ...rostering.Option) *rostering.Client {
	t.Helper()
	c, err := rostering.New(t.Context(), config, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func wantError(t *testing.T, err error, code rostering.Code) {
	t.Helper()
	if e, ok := errors.AsType[*rostering.Error](err); !ok || e.Code != code {
		t.Fatalf("the error is %v, want %s", err, code)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// faked is an HTTP client that sends nothing. Each response is a token, unless f returns an error.
func faked(f func(*http.Request) error) rostering.Option {
	return rostering.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		if err := f(r); err != nil {
			return nil, err
		}
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(someToken))}, nil
	})})
}

// snippet
type jobLister interface {
	ListJobs(context.Context, ...rostering.CallOption) (*rostering.Response, error)
}

type fake struct {
	body string
	err  error
}

func (f fake) ListJobs(context.Context, ...rostering.CallOption) (*rostering.Response, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &rostering.Response{Status: 200, Body: []byte(f.body)}, nil
}

// end of snippet

var _, _ jobLister = new(rostering.Client), fake{"[]", &rostering.Error{Code: rostering.CodeServiceError, Status: 503, Retryable: true}}

// declared finds exported names, each with the line before it.
var declared = regexp.MustCompile(`(?m)^(.*)\n((?:func (?:\(\w* ?\*?[A-Z]\w*\) )?|type |const |var )[A-Z]\w*)`)

func TestEveryNameIsDocumented(t *testing.T) {
	all, _ := filepath.Glob("*.go")
	own := slices.DeleteFunc(all, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	names := 0
	for _, path := range append(own, "redisstore/redisstore.go") {
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range declared.FindAllStringSubmatch(string(source), -1) {
			if names++; !strings.HasPrefix(found[1], "//") {
				t.Errorf("%s: %s has no comment", path, found[2])
			}
		}
	}
	if names < 60 {
		t.Errorf("only %d names", names)
	}
}

// A zero Client or Transport returns an error, and does not panic.
func TestZeroValues(t *testing.T) {
	var zero rostering.Client
	_, listed := zero.ForCustomer("c").ListJobs(t.Context())
	_, got := zero.GetToken(t.Context())
	_, made := rostering.NewTransport(&zero, nil)
	_, sent := (&http.Client{Transport: new(rostering.Transport)}).Get("http://127.0.0.1")
	for _, err := range []error{listed, got, made, sent, zero.SetToken(t.Context(), rostering.Token{}), zero.ClearToken(t.Context())} {
		wantError(t, err, rostering.CodeInvalidInput)
	}
	if err := errors.Join(zero.Close(), zero.Shutdown(t.Context())); err != nil {
		t.Error(err)
	}
}

// A message has the name that the caller used, and Key the contract's.
func TestErrorNames(t *testing.T) {
	_, client := open(t, responds(http.StatusOK, "too long"), rostering.WithMaxBody(7))
	_, timeout := rostering.New(t.Context(), fullConfig, rostering.WithTimeout(-1))
	_, header := rostering.New(t.Context(), fullConfig, rostering.WithHeader(http.Header{"Host": {"x"}}))
	_, missing := rostering.New(t.Context(), rostering.Config{Scope: "s"})
	send := func(r rostering.Request, options ...rostering.CallOption) error {
		_, err := client.SendRequest(t.Context(), r, options...)
		return err
	}
	_, refused := client.GetToken(t.Context(), rostering.Refused(rostering.Secret{}))
	unknown := httptest.NewTLSServer(http.NotFoundHandler())
	defer unknown.Close()
	unknown.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	config := fullConfig
	config.AuthURL = unknown.URL
	_, certificate := newClient(t, config).GetToken(t.Context())
	_, noCustomer := client.ForCustomer("").ForUser("u").ListJobs(t.Context())
	_, noUser := client.ForUser("").ForCustomer("c").ListJobs(t.Context())
	for _, tt := range []struct {
		err       error
		key, want string
	}{
		{timeout, "", "WithTimeout: "},
		{header, "headers", " (Header)"},
		{certificate, "", "RootCAs"},
		{missing, "auth_url", " (AuthURL, ROSTERING_AUTH_URL; ClientID, ROSTERING_CLIENT_ID; ClientSecret, ROSTERING_CLIENT_SECRET)"},
		{noCustomer, "customer_id", " (ForCustomer)"},
		{noUser, "user_id", " (ForUser)"},
		{refused, "refused", " (Refused)"},
		{send(rostering.Request{Path: "/"}, rostering.WithCallTimeout(-1)), "", "WithCallTimeout: "},
		{send(rostering.Request{Path: "/"}), "", "WithMaxBody (7 bytes)"},
		{client.SetToken(t.Context(), rostering.Token{AccessToken: rostering.NewSecret("x")}), "expires_at", " (ExpiresAt)"},
	} {
		e, ok := errors.AsType[*rostering.Error](tt.err)
		if !ok || e.Key != tt.key || !strings.Contains(e.Message, tt.want) {
			t.Errorf("the error is %+v, want the key %q and a message with %q", tt.err, tt.key, tt.want)
		}
	}
}

func TestErrorCause(t *testing.T) {
	s, client := open(t, responds(http.StatusOK, ""))
	s.Close()
	_, err := client.ListJobs(t.Context())
	if wantError(t, err, rostering.CodeNetworkError); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("the error is %v, of %v", err, errors.Unwrap(err))
	}
}

func TestSecretDoesNotShow(t *testing.T) {
	config := rostering.Config{ClientSecret: rostering.NewSecret("s3cr3t")}
	for _, v := range []any{config.ClientSecret, config, &config} {
		object, _ := json.Marshal(v)
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("config", "v", v)
		shown := []string{string(object), log.String()}
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			shown = append(shown, fmt.Sprintf(format, v))
		}
		for _, s := range shown {
			if strings.Contains(s, "s3cr3t") || strings.Contains(s, fmt.Sprintf("%x", "s3cr3t")) || !strings.Contains(s, "[redacted]") {
				t.Errorf("it shows the secret, or not that there is one: %s", s)
			}
		}
	}
	// Package fmt calls no methods of what is not exported, or has a verb that does not fit.
	for _, v := range []any{struct{ c rostering.Config }{config}, []*rostering.Config{&config}} {
		for _, verb := range "vsqdxXtcb" {
			if s := fmt.Sprintf("%"+string(verb), v); strings.Contains(s, "s3cr3t") {
				t.Errorf("it shows the secret: %s", s)
			}
		}
	}
	var read rostering.Config
	if err := json.Unmarshal([]byte(`{"ClientSecret":"s3cr3t"}`), &read); err != nil || read != config {
		t.Errorf("it reads %v: %v", read, err)
	}
}

// What prints, logs or marshals an error shows neither its header nor its body. Full does.
func TestErrorForms(t *testing.T) {
	_, client := open(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "session=canary")
		responds(http.StatusNotFound, "canary")(w, nil)
	})
	_, err := client.ListJobs(t.Context())
	wantError(t, err, rostering.CodeServiceError)
	e, _ := errors.AsType[*rostering.Error](err)
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Error("failed", "err", err)
	slog.New(slog.NewJSONHandler(&log, nil)).Error("failed", "err", e)
	object, _ := json.Marshal(map[string]any{"err": err})
	forms := append(strings.Split(strings.TrimSpace(log.String()), "\n"), string(object), fmt.Sprintf("%#v", err))
	for _, form := range append(forms, fmt.Sprintf("%v", err), fmt.Sprintf("%+v", err)) {
		if strings.Contains(form, "canary") || !strings.Contains(form, "404") || !strings.Contains(form, "service_error") {
			t.Errorf("a form is %s", form)
		}
	}
	for _, form := range forms {
		if !strings.Contains(form, "/jobs") {
			t.Errorf("the request is not in %s", form)
		}
	}
	if full := string(e.Full()); strings.Count(full, "canary") != 2 {
		t.Errorf("the full form is %s", full)
	}
}

func TestFileStoreWithoutItsDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "store")
	store, err := rostering.NewFileStore(dir)
	if err := errors.Join(err, os.Remove(dir)); err != nil {
		t.Fatal(err)
	}
	if err := store.Set(t.Context(), "a", "1", time.Hour); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), dir) {
		t.Errorf("the error is %v", err)
	}
}

// A file store touches no other program's files, and reads of a huge file what a value can have.
func TestFileStoreAmongOtherFiles(t *testing.T) {
	dir := t.TempDir()
	abandoned := strings.Repeat("0f", 32) + ".tmp.0f"
	others := []string{"report.tmp.xlsx", "x" + abandoned, abandoned + ".bak"}
	err := os.Mkdir(filepath.Join(dir, "folder.tmp.d"), 0o700)
	for _, name := range append(others, abandoned) {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	old := time.Now().Add(-time.Hour)
	for _, name := range append(others, abandoned, "folder.tmp.d") {
		err = errors.Join(err, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	store, err2 := rostering.NewFileStore(dir)
	huge := filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256([]byte("huge"))))
	err3 := os.WriteFile(huge, []byte("4102444800000\n"), 0o600)
	if err := errors.Join(err, err2, err3, os.Truncate(huge, 1<<30)); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(others, "folder.tmp.d") {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, abandoned)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the temporary file of another process is there: %v", err)
	}
	if value, _, err := store.Get(t.Context(), "huge"); len(value) > 1<<20 || err != nil {
		t.Errorf("of a huge file, it read %d bytes: %v", len(value), err)
	}
}
