package rostering

import (
	"log/slog"
	"strings"

	extism "github.com/extism/go-sdk"
)

// sdkLines are how the lines begin that go-sdk adds to the plugin's own.
var sdkLines = []string{"Calling ", "Initializing runtime "}

// pluginLines gives the plugin's own lines to log.
func pluginLines(log func(slog.Level, string)) func(extism.LogLevel, string) {
	return func(level extism.LogLevel, line string) {
		if level < extism.LogLevelDebug {
			return // the plugin has no trace lines
		}
		for _, beginning := range sdkLines {
			if strings.HasPrefix(line, beginning) {
				return
			}
		}
		log(slogLevel(level), line)
	}
}

func slogLevel(level extism.LogLevel) slog.Level {
	switch level {
	case extism.LogLevelDebug:
		return slog.LevelDebug
	case extism.LogLevelInfo:
		return slog.LevelInfo
	case extism.LogLevelWarn:
		return slog.LevelWarn
	}
	return slog.LevelError
}
