package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// closeGrace is how long Close waits for requests.
const closeGrace = time.Second

// Sandbox is a running identity provider with a jobs service and a control API. It is safe for
// concurrent use.
type Sandbox struct {
	auth, jobs, control *server

	provider *provider
	faults   map[string]*injector // by server
	journal  *journal

	closing  chan struct{}
	once     sync.Once
	closeErr error
}

// Start starts a sandbox, which runs until [Sandbox.Close] or until ctx ends.
func Start(ctx context.Context, c Config) (*Sandbox, error) {
	c = c.withDefaults()
	if err := errors.Join(ctx.Err(), checkLifetime(c.Lifetime)); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	closing := make(chan struct{})
	s := &Sandbox{
		journal: &journal{closing: closing, changed: make(chan struct{})},
		faults:  map[string]*injector{AuthServer: {closing: closing}, JobsServer: {closing: closing}},
		closing: closing,
	}
	if err := s.start(c); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", errors.Join(err, s.Close()))
	}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return s, nil
}

// start listens on all ports first: the provider must know its own URL, the issuer of its tokens.
func (s *Sandbox) start(c Config) (err error) {
	for srv, port := range map[**server]int{&s.auth: 0, &s.jobs: 0, &s.control: c.Port} {
		if *srv, err = listen(c.Host, port); err != nil {
			return err
		}
	}
	if s.provider, err = newProvider(s.AuthURL(), c.Lifetime); err != nil {
		return err
	}
	s.auth.serve(AuthServer, tokenEndpointOnly(s.watched(AuthServer, s.provider.handler())), c.Log)
	s.jobs.serve(JobsServer, s.watched(JobsServer, jobsHandler(s.provider.ledger.verify)), c.Log)
	s.control.serve("control", s.controlHandler(), c.Log)
	return nil
}

// Close closes the sandbox. It cuts off delayed requests, waits for the others for a second, and
// then cuts them off, too. When it returns, the ports are free. Closing again does nothing.
func (s *Sandbox) Close() error {
	s.once.Do(func() {
		close(s.closing)
		ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
		defer cancel()
		for _, srv := range []*server{s.jobs, s.auth, s.control} {
			if srv != nil {
				s.closeErr = errors.Join(s.closeErr, srv.close(ctx))
			}
		}
	})
	return s.closeErr
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
	for _, c := range s.provider.clients {
		if c.environment == environment {
			return c.id, *c.secret.Load()
		}
	}
	return "", ""
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
func (s *Sandbox) Rotate() { s.provider.rotate() }

// Revoke makes the jobs service refuse all tokens that were issued until now.
func (s *Sandbox) Revoke() { s.provider.ledger.revoke() }

// SetLifetime sets the lifetime of tokens that are issued from now on, in whole seconds.
func (s *Sandbox) SetLifetime(d time.Duration) error {
	if err := checkLifetime(d); err != nil {
		return err
	}
	s.provider.lifetime.Store(int64(d))
	return nil
}

// Counts returns the number of requests that have arrived.
func (s *Sandbox) Counts() Counts {
	counts, _ := s.journal.count()
	return counts
}

// Requests returns the last requests, the oldest first. The journal keeps 1,000 requests and uses of
// the control API.
func (s *Sandbox) Requests() []Request { return s.journal.requests() }

// Wait waits until at least that many requests have arrived, and returns their number.
func (s *Sandbox) Wait(ctx context.Context, least Counts) (Counts, error) {
	return s.journal.wait(ctx, least)
}
