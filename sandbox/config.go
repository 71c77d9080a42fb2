package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"
)

// DefaultLifetime is how long a token lives if nothing else is configured.
const DefaultLifetime = time.Hour

// maxLifetime keeps expiry times far away from any overflow.
const maxLifetime = 10 * 365 * 24 * time.Hour

const defaultHost = "127.0.0.1"

// Config says how to start a [Sandbox]. Its zero value is usable.
type Config struct {
	// Lifetime of issued tokens in whole seconds, DefaultLifetime if zero.
	Lifetime time.Duration
	// Addr is the loopback host to listen on, 127.0.0.1 if empty.
	Addr string
	// Port is that of the controls and the page; 0 is a free one. The others are always
	// chosen by the system.
	Port int
	// Anywhere permits an Addr beyond loopback: whoever reaches it can use the controls.
	Anywhere bool
	// StageSecret and ProductionSecret are the clients' secrets. An empty one
	// is made up at random.
	StageSecret, ProductionSecret string
	// Log gets one record for each request; nothing is logged if it is nil.
	// Neither a secret nor a token is ever logged.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	if c.Lifetime == 0 {
		c.Lifetime = DefaultLifetime
	}
	if c.Addr == "" {
		c.Addr = defaultHost
	}
	if c.StageSecret == "" {
		c.StageSecret = rand.Text()
	}
	if c.ProductionSecret == "" {
		c.ProductionSecret = rand.Text()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Config) validate() error {
	if c.Anywhere {
		return checkLifetime(c.Lifetime)
	}
	return errors.Join(checkHost(c.Addr), checkLifetime(c.Lifetime))
}

// checkHost refuses hosts that others could reach: the controls are open to
// anyone who can connect.
func checkHost(host string) error {
	if host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("address %q is not a loopback host", host)
	}
	return nil
}

// checkLifetime refuses fractions of a second, which neither the expires_in of
// a token answer nor the exp of a token can say.
func checkLifetime(d time.Duration) error {
	switch {
	case d < time.Second || d > maxLifetime:
		return fmt.Errorf("lifetime %v is not between %v and %v", d, time.Second, maxLifetime)
	case d%time.Second != 0:
		return fmt.Errorf("lifetime %v is not a number of whole seconds", d)
	default:
		return nil
	}
}
