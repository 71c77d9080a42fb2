package rostering

import (
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"
)

// The defaults of [WithTimeout] and [WithMaxBody].
const (
	DefaultTimeout = 30 * time.Second
	DefaultMaxBody = 64 << 20
)

// Option changes how [New] creates a client.
type Option func(*settings)

type settings struct {
	store   Store
	http    *http.Client
	header  http.Header
	logger  *slog.Logger
	timeout time.Duration
	maxBody int64
	clock   func() time.Time
}

func newSettings(options []Option) (*settings, error) {
	s := &settings{timeout: DefaultTimeout, maxBody: DefaultMaxBody}
	for _, option := range options {
		if option == nil {
			return nil, misconfigured("an option of New is nil")
		}
		option(s)
	}
	if s.clock == nil {
		s.clock = time.Now
	}
	switch {
	case s.timeout < 0:
		return nil, misconfigured("WithTimeout: the timeout must not be negative, but is %s; 0 means none", s.timeout)
	case s.maxBody <= 0:
		return nil, misconfigured("WithMaxBody: the limit must be positive, but is %d", s.maxBody)
	}
	s.maxBody = min(s.maxBody, math.MaxInt64-1) // one more byte is read
	return s, nil
}

func misconfigured(format string, values ...any) *Error {
	return &Error{Code: CodeConfigInvalid, Message: fmt.Sprintf(format, values...)}
}

// WithStore shares one token with the other clients that use the store, which may be in other
// processes and languages.
func WithStore(store Store) Option { return func(s *settings) { s.store = store } }

// WithHTTPClient sets the HTTP client, for your own proxy, TLS or tracing. Its CheckRedirect
// is ignored: redirects are never followed, because they could forward the secret or the
// token to another host.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.http = client } }

// WithHeader sets headers of each request to the service. Those of a call replace them.
func WithHeader(header http.Header) Option { return func(s *settings) { s.header = header } }

// WithLogger logs a debug line for each token request and for each error of the service,
// and a warning for what was recovered from. No line holds a secret or a token. By default,
// only a failing [Store] is logged, by [slog.Default].
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }

// WithTimeout limits the time of a call with all its requests and waits; zero means no limit.
// A call that times out returns a retryable [*Error] with [CodeNetworkError].
func WithTimeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// WithMaxBody limits the body of a response of the service, in bytes. A call with a longer one
// returns an [*Error] with [CodeNetworkError] that is not retryable.
func WithMaxBody(n int64) Option { return func(s *settings) { s.maxBody = n } }

// WithClock replaces [time.Now], the default, as the clock by which tokens expire.
func WithClock(now func() time.Time) Option { return func(s *settings) { s.clock = now } }

// TokenOption changes one call of [Client.GetToken].
type TokenOption interface{ applyToToken(*call) }

// CallOption changes one call of [Client.ListJobs], [Client.SendRequest] or [Client.GetToken].
type CallOption interface {
	TokenOption
	apply(*call)
}

type callOption func(*call)

func (o callOption) applyToToken(c *call) { o(c) }
func (o callOption) apply(c *call)        { o(c) }

// WithCallTimeout replaces the client's timeout in one call; zero means no limit.
func WithCallTimeout(d time.Duration) CallOption {
	return callOption(func(c *call) { c.timeout = new(d) })
}

// WithCallHeader adds headers to one call of [Client.ListJobs] or [Client.SendRequest].
func WithCallHeader(header http.Header) CallOption {
	return callOption(func(c *call) { c.input.Headers = withDefaults(joined(header), c.input.Headers) })
}

// Force requests a new token even if the cached one is valid. If that fails, the cached one
// stays.
func Force() TokenOption { return callOption(func(c *call) { c.force = true }) }

// Refused reports that the service responded with 401 to this token. If it is still the cached
// one, a new one is requested, once for all callers that received the 401.
func Refused(accessToken Secret) TokenOption {
	return callOption(func(c *call) { c.refused = new(accessToken.Expose()) })
}
