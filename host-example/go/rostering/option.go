package rostering

import "log/slog"

// Option changes how [Open] opens a client.
type Option func(*settings)

type settings struct {
	log      func(level slog.Level, line string)
	cacheDir *string // nil where the caller leaves it to us
}

func newSettings(options []Option) *settings {
	s := &settings{log: func(slog.Level, string) {}}
	for _, option := range options {
		option(s)
	}
	return s
}

// WithLog has the plugin's log lines given to log: a debug line for each
// request, a warning for what went wrong and was mended. They hold neither
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
		if log != nil {
			s.log = log
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
