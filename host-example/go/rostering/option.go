package rostering

import (
	"log/slog"
	"net/http"
	"sync"
)

// Option changes how a client is opened.
type Option func(*settings)

type settings struct {
	log      func(level slog.Level, line string)
	cacheDir *string      // nil where the caller leaves it to us
	http     *http.Client // likewise
}

func newSettings(options []Option) *settings {
	s := &settings{log: func(slog.Level, string) {}}
	for _, option := range options {
		option(s)
	}
	return s
}

// WithLog has the plugin's log lines given to log, one at a time: a debug line for
// each request, a warning for what went wrong and was mended. They hold neither
// secrets nor tokens.
//
// Extism's log level is one for the whole process and off at first, so the
// program says once what it wants to see:
//
//	extism.SetLogLevel(extism.LogLevelDebug)
//
// The client waits for log, which must not call it.
func WithLog(log func(level slog.Level, line string)) Option {
	return func(s *settings) {
		if log == nil {
			return
		}
		var mutex sync.Mutex // the instances of a pool log at the same time
		s.log = func(level slog.Level, line string) {
			mutex.Lock()
			defer mutex.Unlock()
			log(level, line)
		}
	}
}

// WithCacheDir sets where the compiled plugin is kept, so that a program starts
// faster the next time. Nobody else must be able to write there: it is machine
// code. With "" it is kept in memory alone.
//
// Without this option it is kept in a folder in [os.UserCacheDir], and in memory
// where that cannot be used.
func WithCacheDir(dir string) Option {
	return func(s *settings) { s.cacheDir = &dir }
}

// WithHTTPClient sets what a [Driver] or a [Pool] sends requests with: a proxy,
// TLS, a time-out for single requests. It follows no redirects there, whatever its
// CheckRedirect says. A [Client] cannot have one.
//
// Without this option it is a client with connections of its own, and the proxy of
// the environment.
func WithHTTPClient(client *http.Client) Option {
	return func(s *settings) { s.http = client }
}
