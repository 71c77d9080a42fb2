package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// Sandbox is a running identity provider with a jobs service and a control API. It is safe for
// concurrent use.
type Sandbox struct {
	auth, jobs, control *server

	clients map[string]*client // by environment
	minter  *minter
	ledger  *ledger

	faults   map[string]*injector // by server
	journal  *journal
	timeline *timeline

	closing  chan struct{}
	unwatch  func() bool // keeps the context of Start from closing the sandbox
	once     sync.Once
	closeErr error
}

// AuthURL returns the URL of the identity provider, without a trailing slash.
func (s *Sandbox) AuthURL() string { return s.auth.url() }

// BaseURL returns the URL of the jobs service, without a trailing slash.
func (s *Sandbox) BaseURL() string { return s.jobs.url() }

// ControlURL returns the URL of the control API and the page, without a trailing slash.
func (s *Sandbox) ControlURL() string { return s.control.url() }

// Client returns the credentials of an environment's client, or two empty strings for an unknown
// environment.
func (s *Sandbox) Client(environment string) (id, secret string) {
	c, ok := s.clients[environment]
	if !ok {
		return "", ""
	}
	return c.id, *c.secret.Load()
}

// Env returns the environment variables with which a client's program finds the sandbox and its client of an
// environment, as the client libraries read them.
func (s *Sandbox) Env(environment string) map[string]string {
	id, secret := s.Client(environment)
	return map[string]string{
		"ROSTERING_AUTH_URL":      s.AuthURL(),
		"ROSTERING_BASE_URL":      s.BaseURL(),
		"ROSTERING_ENVIRONMENT":   environment,
		"ROSTERING_CLIENT_ID":     id,
		"ROSTERING_CLIENT_SECRET": secret,
		"ROSTERING_CUSTOMER_ID":   "sandbox-customer",
		"ROSTERING_USER_ID":       "sandbox-user",
	}
}

// SetFault replaces the fault of a server, which is [AuthServer] or [JobsServer].
func (s *Sandbox) SetFault(server string, f Fault) error {
	i, ok := s.faults[server]
	if !ok {
		return fmt.Errorf("server must be %q or %q", AuthServer, JobsServer)
	}
	if err := f.validate(); err != nil {
		return err
	}
	i.set(&f)
	return nil
}

// ClearFaults ends the faults of both servers and releases the requests that they hold. A request
// that is already delayed stays delayed.
func (s *Sandbox) ClearFaults() {
	for _, i := range s.faults {
		i.set(nil)
	}
}

// Rotate replaces the secrets of the clients. The old ones are refused from now on; tokens stay
// valid. [Sandbox.Client] returns the new ones.
func (s *Sandbox) Rotate() {
	for _, c := range s.clients {
		c.secret.Store(new(rand.Text()))
	}
}

// Revoke makes the jobs service refuse all tokens that were issued until now.
func (s *Sandbox) Revoke() { s.ledger.revoke() }

// SetLifetime sets the lifetime of tokens that are issued from now on, in whole seconds.
func (s *Sandbox) SetLifetime(d time.Duration) error {
	if err := checkLifetime(d); err != nil {
		return err
	}
	s.minter.lifetime.Store(int64(d))
	return nil
}

// Counts returns the number of requests that have arrived.
func (s *Sandbox) Counts() Counts {
	counts, _ := s.journal.count()
	return counts
}

// Requests returns the last 1,000 requests, the oldest first.
func (s *Sandbox) Requests() []Request {
	return s.journal.newest()
}

// Wait waits until at least that many requests have arrived, and returns their number.
func (s *Sandbox) Wait(ctx context.Context, least Counts) (Counts, error) {
	return s.journal.wait(ctx, least)
}
