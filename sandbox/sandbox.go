package sandbox

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"
)

// Sandbox is a running identity provider with its jobs service and controls.
// Its methods may be called by several goroutines at once.
type Sandbox struct {
	auth, jobs, control *server

	clients map[string]*client // by environment
	minter  *minter
	ledger  *ledger

	faults   map[string]*injector // by server
	journal  *journal
	timeline *timeline

	closing  chan struct{}
	unwatch  func() bool // stops closing by the context given to Start
	once     sync.Once
	closeErr error
}

// AuthURL is the address of the identity provider, without a slash at its end.
func (s *Sandbox) AuthURL() string { return s.auth.url() }

// BaseURL is the address of the jobs service, without a slash at its end.
func (s *Sandbox) BaseURL() string { return s.jobs.url() }

// ControlURL is the address of the controls, without a slash at its end.
func (s *Sandbox) ControlURL() string { return s.control.url() }

// Client returns the credentials of an environment's client, or two empty
// texts for an unknown environment.
func (s *Sandbox) Client(environment string) (id, secret string) {
	c, ok := s.clients[environment]
	if !ok {
		return "", ""
	}
	return c.id, *c.secret.Load()
}

// SetFault makes a server, AuthServer or JobsServer, misbehave in place of any
// fault it had.
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

// ClearFaults ends the faults of both servers and lets go of what they hold. A
// request that is being delayed already stays delayed.
func (s *Sandbox) ClearFaults() {
	for _, i := range s.faults {
		i.set(nil)
	}
}

// Rotate gives the clients other secrets. The old ones are refused from now on; tokens stay
// good. [Sandbox.Client] returns the new ones.
func (s *Sandbox) Rotate() {
	for _, c := range s.clients {
		c.secret.Store(new(rand.Text()))
	}
}

// Revoke has the jobs service refuse every token issued until now.
func (s *Sandbox) Revoke() { s.ledger.revoke() }

// SetLifetime sets the lifetime of tokens issued from now on, in whole
// seconds.
func (s *Sandbox) SetLifetime(d time.Duration) error {
	if err := checkLifetime(d); err != nil {
		return err
	}
	s.minter.lifetime.Store(int64(d))
	return nil
}

// Counts returns how many requests have arrived until now.
func (s *Sandbox) Counts() Counts {
	counts, _ := s.journal.count()
	return counts
}

// Requests returns the newest requests, the oldest of them first, 1,000 at most.
func (s *Sandbox) Requests() []Request {
	return s.journal.newest()
}

// Wait waits until at least so many requests have arrived, and returns how
// many have.
func (s *Sandbox) Wait(ctx context.Context, least Counts) (Counts, error) {
	return s.journal.wait(ctx, least)
}
