package sandbox

import (
	"fmt"
	"log/slog"
	"time"
)

// The environments of the service. Each has one client, which can get the scope of that environment and no other.
const (
	Stage      = "stage"
	Production = "production"
)

// DefaultLifetime is how long a token lives by default.
const DefaultLifetime = time.Hour

// maxLifetime keeps expiry times from overflowing.
const maxLifetime = 10 * 365 * 24 * time.Hour

// Config configures a [Sandbox]. The zero Config is valid.
type Config struct {
	// Lifetime is how long tokens live, in whole seconds (default: [DefaultLifetime]).
	Lifetime time.Duration
	// Host is the host to listen on (default: 127.0.0.1). If it is not a loopback host, anyone who can connect can
	// use the controls.
	Host string
	// Port is the port of the controls and the page; 0 means any free port. The two servers always listen on free
	// ports.
	Port int
	// TLS, if not empty, has the two servers use TLS. It is a folder, into which Start writes ca.pem: the certificate
	// authority, made anew, that clients must trust.
	TLS string
	// Log logs each request, without secrets and tokens. Nil means no log.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Lifetime == 0 {
		c.Lifetime = DefaultLifetime
	}
	if c.Host == "" {
		c.Host = "127.0.0.1"
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// checkLifetime refuses fractions of a second, which neither the expires_in of a token response nor the exp of a
// token can express.
func checkLifetime(d time.Duration) error {
	if d < time.Second || d > maxLifetime || d%time.Second != 0 {
		return fmt.Errorf("lifetime %v is not a number of whole seconds between %v and %v", d, time.Second, maxLifetime)
	}
	return nil
}
