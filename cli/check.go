package cli

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering/sdk/go"
)

// check is the command check.
type check struct {
	JSON bool `name:"json" help:"Print the result as JSON."`
}

// finding is what was tried, and what came out.
type finding struct {
	Name         string           `json:"name"`
	OK           bool             `json:"ok"`
	Milliseconds int64            `json:"ms"`
	Detail       string           `json:"detail,omitempty"`
	Error        *rostering.Error `json:"error,omitempty"`
	Message      string           `json:"message,omitempty"`
	status       int
}

func (c *check) Run(s *session) error {
	findings, err := c.try(s)
	if err != nil {
		return err
	}
	status, failed := 0, "all is right"
	for _, f := range findings {
		if !f.OK && (status == 0 || f.status < status) {
			status, failed = f.status, "something is wrong"
		}
		if !c.JSON {
			f.print(s)
		}
	}
	if c.JSON {
		err = s.printJSON(map[string]any{"ok": status == 0, "checks": findings})
	} else {
		_, err = fmt.Fprintln(s.stdout, failed)
	}
	if err == nil && status != 0 {
		err = shownError{status}
	}
	return err
}

// try makes each check that the ones before permit.
func (c *check) try(s *session) (all []finding, err error) {
	config, err := s.config()
	if err != nil {
		return nil, err
	}
	var clock skew
	hc := &http.Client{Transport: &clock}
	client, err := s.open(config, rostering.WithHTTPClient(hc))
	all = append(all, found("config", time.Now(), describe(config), err))
	if e, ours := errors.AsType[*rostering.Error](err); ours && onlyForRequests(e.Key) {
		config.BaseURL, config.CustomerID, config.UserID = "", "", ""
		client, err = s.open(config, rostering.WithHTTPClient(hc))
	}
	if err != nil {
		return all, nil
	}
	defer client.Close()
	began := time.Now()
	t, err := client.GetToken(s.ctx, rostering.Force())
	f := found("token", began, "", err)
	if f.OK {
		f.Detail = "expires in " + time.Until(t.ExpiresAt).Round(time.Second).String() + claims(t.AccessToken.Expose())
	}
	if all = append(all, clock.note(f)); !f.OK || s.ctx.Err() != nil {
		return all, s.ctx.Err()
	}
	if all[0].OK {
		began = time.Now()
		r, err := client.ListJobs(s.ctx)
		f = found("jobs", began, "", err)
		if f.OK {
			f.Detail = fmt.Sprintf("status %d, %d bytes", r.Status, len(r.Body))
		}
		all = append(all, clock.note(f))
	}
	return all, s.ctx.Err()
}

// onlyForRequests reports whether a token can be requested without a config key.
func onlyForRequests(key string) bool {
	return key == "base_url" || key == "customer_id" || key == "user_id"
}

func found(name string, began time.Time, detail string, err error) finding {
	f := finding{Name: name, OK: err == nil, Milliseconds: time.Since(began).Milliseconds(), Detail: detail, status: statusOf(err)}
	if err != nil {
		f.Message = err.Error()
		f.Error, _ = errors.AsType[*rostering.Error](err)
	}
	return f
}

func describe(c rostering.Config) string {
	scope := string(c.Environment)
	if c.Scope != "" {
		scope = "scope " + c.Scope
	}
	return fmt.Sprintf("%s, client %q of %s, service %s", scope, c.ClientID, c.AuthURL, c.BaseURL)
}

func (f *finding) print(s *session) {
	mark, text := "ok  ", f.Detail
	if !f.OK {
		mark, text = "FAIL", f.Message
	}
	fmt.Fprintf(s.stdout, "%s %-6s %5d ms  %s\n", mark, f.Name, f.Milliseconds, text)
	if !f.OK && f.Detail != "" {
		fmt.Fprintf(s.stdout, "                      with %s\n", f.Detail)
	}
	if e := f.Error; e != nil && e.Body != "" {
		fmt.Fprintf(s.stdout, "                      the response begins with: %.300s\n", strings.TrimSpace(e.Body))
	}
}

// claims describes what a token that is a JWT says of itself (RFC 9068). It verifies nothing.
func claims(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "; not a JWT, so nothing in it can be shown"
	}
	var c struct {
		Scope    any     `json:"scope"`
		Audience any     `json:"aud"`
		Expires  float64 `json:"exp"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &c) != nil {
		return "; not a JWT, so nothing in it can be shown"
	}
	text := fmt.Sprintf("; a JWT (decoded, not verified) with scope %v, audience %v", c.Scope, c.Audience)
	if c.Expires > 0 {
		text += ", expiry " + time.Unix(int64(c.Expires), 0).UTC().Format(time.RFC3339)
	}
	return text
}

// skew is an HTTP transport that notes how far this machine's clock is behind a server's, in seconds.
type skew struct{ seconds atomic.Int64 }

// mostSkew is what a request and whole seconds explain.
const mostSkew = 30

func (k *skew) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
			k.seconds.Store(int64(time.Until(date).Seconds()))
		}
	}
	return response, err
}

// note adds that the clocks differ to what was found.
func (k *skew) note(f finding) finding {
	n, how := k.seconds.Load(), "behind"
	if n < 0 {
		n, how = -n, "ahead of"
	}
	if n > mostSkew {
		f.Detail = strings.TrimPrefix(fmt.Sprintf("%s; this machine's clock is %d s %s the server's: correct it", f.Detail, n, how), "; ")
	}
	return f
}
