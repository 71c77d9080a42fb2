package rostering

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"automatic-rostering.example/rostering/internal/quiet"
)

func TestOrigins(t *testing.T) {
	for base, urls := range map[string]map[string]bool{
		"https://Api.Example.com/v1": {
			"https://api.example.com/": true, "HTTPS://api.example.com:443": true, "https://user@API.example.com?a": true,
			"http://api.example.com/": false, "https://api.example.com:8443": false, "https://api.example.com.": false,
			"https://example.com": false, "https://api.example.com.evil.example": false, "https://api.example.com@evil.example": false,
		},
		"http://127.0.0.1:80": {"http://127.0.0.1/": true, "http://127.0.0.1:443/": false, "https://127.0.0.1:80/": false},
		"http://[::1]:8080":   {"http://[::1]:8080/x": true, "http://[::1]/": false},
	} {
		for text, want := range urls {
			b, _ := url.Parse(base)
			if u, err := url.Parse(text); err != nil || origin(u) == origin(b) != want {
				t.Errorf("%s gets the token of %s: %v, want %v", text, base, !want, want)
			}
		}
	}
}

func TestMarginIsRoundedUp(t *testing.T) {
	if got := (&Config{RefreshMargin: 1500 * time.Millisecond}).keys()["refresh_margin"]; got != "2" {
		t.Errorf("1.5 s are %q", got)
	}
}

// The rules open clients with variables, which would not notice two fields that are exchanged.
func TestEachKeyIsItsField(t *testing.T) {
	var c Config
	for key, value := range c.strings() {
		field := reflect.ValueOf(&c).Elem().FieldByName(fieldOf(key)).Addr()
		if field.Elem().Kind() == reflect.String && field.Pointer() != reflect.ValueOf(value).Pointer() {
			t.Errorf("%s is not %s", key, fieldOf(key))
		}
	}
}

// A panic in the core, here of an export that there is not, fails the call alone.
func TestCoreThatPanics(t *testing.T) {
	i := new(plugin)
	err := i.configure((&Config{Scope: "s", AuthURL: "https://a", ClientID: "c", ClientSecret: NewSecret("s")}).keys())
	before := i.state
	i.use("no export", nil, func(_ []byte, err error) {
		if e, ok := errors.AsType[*Error](err); !ok || e.Code != CodePluginFailed || e.Retryable {
			t.Errorf("the error is %v", err)
		}
	})
	i.use("check", nil, func(_ []byte, checked error) { err = errors.Join(err, checked) })
	if err != nil || len(before) == 0 || !bytes.Equal(i.state, before) {
		t.Errorf("the state is %q, not %q; %v", i.state, before, err)
	}
}

// Of the program's own transport, the words of a proxy are an error without a type, which may quote its
// password.
func TestProxyThatRefuses(t *testing.T) {
	words := &url.Error{Op: "Get", URL: "https://a", Err: errors.New("the-password")}
	if failed := failure(withoutWords(new(http.Client), words)); strings.Contains(fmt.Sprint(failed), "password") {
		t.Errorf("the failure is %v", failed)
	}
}

// The rules have what servers do. These are what a network does, and a proxy.
func TestReasons(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", errors.New("refused"))}
	for want, all := range map[Reason][]error{
		ReasonTimeout:        {context.DeadlineExceeded, timedOut(1), os.ErrDeadlineExceeded, &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}},
		ReasonNameResolution: {&net.OpError{Op: "dial", Err: &net.DNSError{IsTimeout: true}}},
		ReasonConnection:     {dial, dial.Err, net.ErrClosed},
		ReasonTLSCertificate: {&tls.CertificateVerificationError{Err: errors.New("")}},
		ReasonTLS:            {tls.RecordHeaderError{}, &net.OpError{Op: "remote error", Err: errors.New("")}, quiet.HandshakeError{}},
		ReasonProxy:          {&net.OpError{Op: "proxyconnect", Err: dial}, &net.OpError{Op: "socks connect", Err: dial}, quiet.ProxyError{Status: 407}},
		ReasonProtocol:       {io.EOF, io.ErrUnexpectedEOF, withoutWords(new(http.Client), errors.New("malformed"))},
		ReasonCanceled:       {context.Canceled},
		ReasonOther:          {errors.New("the program's")},
	} {
		for _, err := range all {
			if got := reasonOf(&url.Error{Op: "Get", Err: err}); got != want {
				t.Errorf("the reason of %v is %s, not %s", err, got, want)
			}
		}
	}
}
