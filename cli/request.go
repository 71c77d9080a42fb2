package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"

	"automatic-rostering.example/rostering/sdk/go"
)

// jobs is the command jobs.
type jobs struct {
	Output  string `short:"o" placeholder:"FILE" help:"Write the body to a file; - is standard output."`
	Include bool   `short:"i" help:"Print the status and the headers, too."`
}

func (j *jobs) Run(s *session) error {
	client, _, err := s.connect()
	if err != nil {
		return err
	}
	defer client.Close()
	got, err := client.ListJobs(s.ctx)
	if err != nil {
		return err
	}
	r := request{Method: "GET", Path: "/jobs", Output: j.Output, Include: j.Include}
	return r.print(s, &http.Response{
		Proto: "HTTP", Status: fmt.Sprint(got.Status, " ", http.StatusText(got.Status)), StatusCode: got.Status,
		Header: got.Header, Body: io.NopCloser(bytes.NewReader(got.Body)),
	})
}

// request is the command request.
type request struct {
	Method  string   `arg:"" help:"Method, such as GET."`
	Path    string   `arg:"" help:"Path below the base URL, such as /jobs?day=1."`
	Headers []string `short:"H" name:"header" sep:"none" placeholder:"'NAME: VALUE'" help:"Add a header."`
	Data    *string  `short:"d" placeholder:"DATA|@FILE|-" help:"Body; @FILE is a file, - standard input."`
	Output  string   `short:"o" placeholder:"FILE" help:"Write the body of the response to a file; - is standard output."`
	Include bool     `short:"i" help:"Print the status and the headers, too."`
}

func (r *request) Run(s *session) error {
	client, config, err := s.connect()
	if err != nil {
		return err
	}
	defer client.Close()
	if s.Timeout > 0 {
		ctx, cancel := context.WithTimeout(s.ctx, s.Timeout)
		defer cancel()
		s.ctx = ctx
	}
	q, err := r.build(s, config)
	if err != nil {
		return err
	}
	transport, err := rostering.NewTransport(client, unchanged())
	if err != nil {
		return err
	}
	h := http.Client{Transport: transport, CheckRedirect: useLastResponse}
	response, err := h.Do(q)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return r.print(s, response)
}

// unchanged returns a transport that passes bodies unchanged, compressed ones, too.
func unchanged() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	return t
}

// useLastResponse follows no redirect, as the library.
func useLastResponse(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func (r *request) build(s *session, config rostering.Config) (*http.Request, error) {
	if r.Method == "" {
		return nil, usage("METHOD is empty")
	}
	if err := checkPath(r.Path); err != nil {
		return nil, err
	}
	body, err := r.body(s)
	if err != nil {
		return nil, err
	}
	target := strings.TrimRight(config.BaseURL, "/") + r.Path
	q, err := http.NewRequestWithContext(s.ctx, r.Method, target, body)
	if err != nil {
		return nil, usage("METHOD or PATH: %w", err)
	}
	for _, header := range r.Headers {
		header = strings.TrimSpace(header)
		if !wellFormed.MatchString(header) {
			return nil, usage("-H %q: the form is 'NAME: VALUE', in one line", header)
		}
		name, value, _ := strings.Cut(header, ":")
		if isOurs(name) {
			return nil, usage("-H %q: this command sets %s itself, from --base-url, --customer, --user and -d", name+": …", name)
		}
		q.Header.Add(name, strings.TrimSpace(value))
	}
	addIDs(q.Header, config)
	return q, nil
}

// addIDs sets the headers of the two ids, whose names have no usual case.
func addIDs(h http.Header, config rostering.Config) {
	for name, id := range map[string]string{"CUSTOMER_ID": config.CustomerID, "USER_ID": config.UserID} {
		if id != "" {
			h[name] = []string{id}
		}
	}
}

// wellFormed is the form of a header (RFC 9110, section 5).
var wellFormed = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\\x00-\\x08\\x0a-\\x1f\\x7f]*$")

// isOurs reports whether a header is set by this command, or net/http, alone.
func isOurs(name string) bool {
	switch strings.ReplaceAll(strings.ToLower(name), "-", "_") {
	case "authorization", "customer_id", "user_id", "host", "content_length", "transfer_encoding", "trailer":
		return true
	}
	return false
}

// checkPath rejects what could leave the base URL.
func checkPath(path string) error {
	path, query, _ := strings.Cut(path, "?")
	decoded, err := url.PathUnescape(path)
	if err != nil || !strings.HasPrefix(path, "/") || strings.ContainsAny(decoded, "\\#") {
		return usage("PATH must begin with / and be percent-encoded, but is %.100q", path)
	}
	if strings.ContainsAny(query, " #") {
		return usage("the query of PATH must be percent-encoded: %%20 is a space, %%23 is #")
	}
	for segment := range strings.SplitSeq(decoded, "/") {
		if segment == "." || segment == ".." {
			return usage("PATH must have no segment . or .., but is %.100q", path)
		}
	}
	return nil
}

// body returns the body, which is streamed. A file can be sent again after a 401.
func (r *request) body(s *session) (io.Reader, error) {
	switch {
	case r.Data == nil:
		return nil, nil
	case *r.Data == "-" || *r.Data == "@-":
		return s.takeStdin()
	case strings.HasPrefix(*r.Data, "@"):
		content, err := os.ReadFile((*r.Data)[1:])
		if err != nil {
			return nil, usage("-d: %w", err)
		}
		return bytes.NewReader(content), nil
	}
	return strings.NewReader(*r.Data), nil
}

// print prints a response, and returns an error unless its status is 2xx or 304.
func (r *request) print(s *session, response *http.Response) error {
	to, done := s.stdout, func() error { return nil }
	if r.Output != "" && r.Output != "-" { // which is standard output for curl, too
		file, err := os.Create(r.Output)
		if err != nil {
			return usage("-o: %w", err)
		}
		to, done = file, file.Close
	}
	var head bytes.Buffer
	if r.Include {
		fmt.Fprintln(&head, response.Proto, response.Status)
		_ = response.Header.Write(&head)
		fmt.Fprintln(&head)
	}
	_, err := io.Copy(to, io.MultiReader(&head, response.Body))
	err = cmp.Or(err, done())
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("the output cannot be written: %w", file)
	} else if err != nil {
		return fmt.Errorf("the response's body: %w", err)
	}
	status := response.StatusCode
	if status/100 == 2 || status == http.StatusNotModified {
		return nil
	}
	err = fmt.Errorf("%s %s: the service responded with %s", r.Method, strings.SplitN(r.Path, "?", 2)[0], response.Status)
	fmt.Fprintln(s.stderr, "rostering:", err)
	if status/100 == 5 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout {
		return shownError{statusRetry}
	}
	return shownError{statusFix}
}

// isNetworkError reports whether a request got no response, or no whole one, which may be otherwise later.
func isNetworkError(err error) bool {
	var network net.Error
	var file *fs.PathError
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &file) || errors.As(err, &certificate) {
		return false
	}
	return errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF)
}
