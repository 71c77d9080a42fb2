package rostering

import (
	"log/slog"
	"math"
	"net/http"
	"time"
)

// Defaults of [WithTimeout] and [WithMaxBody].
const (
	DefaultTimeout = 30 * time.Second
	DefaultMaxBody = 64 << 20
)

// Option changes how [New] creates a client.
type Option func(*settings)

type settings struct {
	wasm      []byte
	wasmFile  string
	cacheDir  string
	instances int
	store     Store
	http      *http.Client
	logger    *slog.Logger
	timeout   time.Duration
	maxBody   int64
}

// WithPlugin sets the plugin: the build without WASI, rostering-nowasi.wasm. By default it
// is the one inside this package.
func WithPlugin(wasm []byte) Option { return func(s *settings) { s.wasm = wasm } }

// WithPluginFile is [WithPlugin] with the path of a file.
func WithPluginFile(path string) Option { return func(s *settings) { s.wasmFile = path } }

// WithCacheDir keeps the compiled plugin in a directory, so that the next process starts
// faster. It is machine code: no other user may have write access to the directory.
func WithCacheDir(dir string) Option { return func(s *settings) { s.cacheDir = dir } }

// WithInstances sets how many instances of the plugin the client has, 1 by default. Each
// occupies one core at most, for the microseconds that the plugin works in a call. They
// share one token, through a [MemoryStore] if [WithStore] sets no other store.
func WithInstances(n int) Option { return func(s *settings) { s.instances = n } }

// WithStore sets a store through which clients, in other processes and languages too,
// share one token.
func WithStore(store Store) Option { return func(s *settings) { s.store = store } }

// WithHTTPClient sets the HTTP client, for a proxy, TLS or tracing. Its CheckRedirect is
// ignored: a redirect, which could take the secret or the token to another host, is never
// followed.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.http = client } }

// WithLogger logs a debug line for each token request and for each error of the service,
// and a warning for what was recovered from. No line holds a secret or a token.
//
// Extism has one log level for the whole process, initially off: New sets it to debug.
// Other plugins in the process then log, too, unless they have loggers of their own or the
// program calls extism.SetLogLevel afterwards.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }

// WithTimeout sets the time-out of a call with all its requests; zero means none. A call
// that times out returns an [*Error] with [CodeNetworkError].
func WithTimeout(d time.Duration) Option { return func(s *settings) { s.timeout = d } }

// WithMaxBody bounds the body of the service's answers, in bytes. A longer one is an
// [*Error] with [CodeNetworkError].
func WithMaxBody(n int64) Option {
	return func(s *settings) { s.maxBody = min(n, math.MaxInt64-1) } // one more is read
}

// CallOption changes one call.
type CallOption func(call *Call, input map[string]any)

func field(name string, value any) CallOption {
	return func(_ *Call, input map[string]any) { input[name] = value }
}

// Customer replaces the config's customer id. An empty one is an invalid_input.
func Customer(id string) CallOption { return field("customer_id", id) }

// User replaces the config's user id. An empty one is an invalid_input.
func User(id string) CallOption { return field("user_id", id) }

// NoCustomer sends no customer id.
func NoCustomer() CallOption { return field("customer_id", nil) }

// NoUser sends no user id.
func NoUser() CallOption { return field("user_id", nil) }

// Force has GetToken request a new token in any case. If that fails, the cached one stays.
func Force() CallOption { return field("force", true) }

// Refused tells GetToken that the service answered 401 to this token. If it is still the
// cached one, a new one is requested, once for all callers that received the 401.
func Refused(accessToken Secret) CallOption { return field("refused", string(accessToken)) }

// Now replaces the clock in a call.
func Now(t time.Time) CallOption { return func(c *Call, _ map[string]any) { c.Now = t } }

// Timeout replaces the client's time-out in a call; zero means none.
func Timeout(d time.Duration) CallOption {
	if d == 0 {
		d = -1
	}
	return func(c *Call, _ map[string]any) { c.Timeout = d }
}
