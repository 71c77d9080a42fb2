package sandbox

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Sandbox is a running identity provider with a jobs service and controls. It is safe for concurrent use.
type Sandbox struct {
	auth, jobs, control *server

	lifetime time.Duration // at the start
	caFile   string        // with TLS
	provider *provider
	faults   *faults
	journal  *journal

	closing chan struct{}
	close   func() error // once
}

// Start starts a sandbox, which runs until [Sandbox.Close] or until ctx ends.
func Start(ctx context.Context, c Config) (*Sandbox, error) {
	c.Lifetime = cmp.Or(c.Lifetime, DefaultLifetime)
	c.Host = cmp.Or(c.Host, "127.0.0.1")
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if err := errors.Join(ctx.Err(), checkLifetime(c.Lifetime)); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	closing := make(chan struct{})
	s := &Sandbox{
		lifetime: c.Lifetime,
		journal:  &journal{closing: closing, changed: make(chan struct{})},
		faults:   &faults{closing: closing, all: map[place]*active{}},
		closing:  closing,
	}
	s.close = sync.OnceValue(s.end)
	if err := s.start(c); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", errors.Join(err, s.Close()))
	}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	return s, nil
}

// start listens on all ports first, so that the first request finds all of them.
func (s *Sandbox) start(c Config) (err error) {
	for srv, port := range map[**server]int{&s.auth: 0, &s.jobs: 0, &s.control: c.Port} {
		if *srv, err = listen(c.Host, port); err != nil {
			return err
		}
	}
	if c.TLS != "" {
		var certificate *tls.Config
		if s.caFile, certificate, err = Certificate(c.TLS, c.Host); err != nil {
			return err
		}
		s.auth.tls, s.jobs.tls = certificate, certificate.Clone()
	}
	s.provider = newProvider(c.Lifetime)
	auth := http.NewServeMux()
	auth.Handle(tokenPath, s.watched(AuthServer, s.provider.handler(), c.Log))
	auth.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, http.StatusNotFound, "not_found", "the identity provider has no such path")
	})
	s.auth.serve(auth, c.Log)
	s.jobs.serve(s.watched(JobsServer, jobsHandler(s.provider.ledger.verify), c.Log), c.Log)
	s.control.serve(s.controlHandler(), c.Log)
	return nil
}

// Close closes the sandbox. It cuts off delayed requests, waits for the others for a second, and then cuts them off,
// too. When it returns, the ports are free. Closing again does nothing.
func (s *Sandbox) Close() error { return s.close() }

func (s *Sandbox) end() (err error) {
	close(s.closing)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, srv := range []*server{s.jobs, s.auth, s.control} {
		if srv != nil {
			err = errors.Join(err, srv.close(ctx))
		}
	}
	return err
}

// AuthURL returns the URL of the identity provider, without a trailing slash.
func (s *Sandbox) AuthURL() string { return s.auth.url() }

// BaseURL returns the URL of the jobs service, without a trailing slash.
func (s *Sandbox) BaseURL() string { return s.jobs.url() }

// ControlURL returns the URL of the controls and the page, without a trailing slash.
func (s *Sandbox) ControlURL() string { return s.control.url() }

// Client returns the credentials of an environment's client, or two empty strings for an unknown environment.
func (s *Sandbox) Client(environment string) (id, secret string) {
	for _, c := range s.provider.clients {
		if c.environment == environment {
			return c.id, *c.secret.Load()
		}
	}
	return "", ""
}

// Env returns the environment variables with which a client's program finds the sandbox and its client of an
// environment, as the client libraries read them, and a test finds the controls. With TLS, they include the variables
// with which OpenSSL, Go, Rust, Node, Bun and Deno trust its certificate authority. With plain HTTP beyond loopback,
// they permit that.
func (s *Sandbox) Env(environment string) map[string]string {
	id, secret := s.Client(environment)
	variables := map[string]string{
		"ROSTERING_AUTH_URL":      s.AuthURL(),
		"ROSTERING_BASE_URL":      s.BaseURL(),
		"ROSTERING_ENVIRONMENT":   environment,
		"ROSTERING_CLIENT_ID":     id,
		"ROSTERING_CLIENT_SECRET": secret,
		"ROSTERING_CUSTOMER_ID":   "sandbox-customer",
		"ROSTERING_USER_ID":       "sandbox-user",
		"ROSTERING_SANDBOX_URL":   s.ControlURL(),
	}
	if s.caFile != "" {
		for _, name := range []string{"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "DENO_CERT"} {
			variables[name] = s.caFile
		}
	} else if !isLoopback(s.auth.host) {
		variables["ROSTERING_ALLOW_HTTP"] = "true"
	}
	return variables
}

func isLoopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// SetFault sets a fault of a server, which is [AuthServer] or [JobsServer], and replaces its last one for that path.
func (s *Sandbox) SetFault(server string, f Fault) error {
	f.Server = server
	if err := f.validate(); err != nil {
		return err
	}
	s.faults.set(f)
	s.journal.add(&entry{Switch: "fault"})
	return nil
}

// ClearFaults ends all faults and releases the requests that they hold. A request that is already delayed stays
// delayed.
func (s *Sandbox) ClearFaults() {
	s.faults.end()
	s.journal.add(&entry{Switch: "faults end"})
}

// ClearFault ends the fault of a server for a path, or with an empty path, for all paths, as [Sandbox.ClearFaults] does.
func (s *Sandbox) ClearFault(server, path string) error {
	if server != AuthServer && server != JobsServer {
		return fmt.Errorf("server must be %q or %q", AuthServer, JobsServer)
	}
	s.faults.end(place{server, path})
	s.journal.add(&entry{Switch: "a fault ends"})
	return nil
}

// Reset ends all faults, forgets the requests, counts from zero, and restores the secrets and the lifetime of the
// start. Tokens stay valid.
func (s *Sandbox) Reset() {
	s.faults.end()
	s.provider.reset(s.lifetime)
	s.journal.reset()
	s.journal.add(&entry{Switch: "reset"})
}

// Rotate replaces the secrets of the clients and returns the new ones by environment. The old ones are refused from
// now on; tokens stay valid.
func (s *Sandbox) Rotate() map[string]string {
	secrets := s.provider.rotate()
	s.journal.add(&entry{Switch: "secrets rotated"})
	return secrets
}

// Revoke makes the jobs service refuse all tokens that were issued until now.
func (s *Sandbox) Revoke() {
	s.provider.ledger.revoke()
	s.journal.add(&entry{Switch: "all tokens revoked"})
}

// SetLifetime sets the lifetime of tokens that are issued from now on, in whole seconds.
func (s *Sandbox) SetLifetime(d time.Duration) error {
	if err := checkLifetime(d); err != nil {
		return err
	}
	s.provider.lifetime.Store(int64(d))
	s.journal.add(&entry{Switch: "lifetime of new tokens"})
	return nil
}

// Counts returns the number of requests that have arrived.
func (s *Sandbox) Counts() Counts {
	counts, _ := s.journal.count()
	return counts
}

// Requests returns the last requests, the oldest first. The journal keeps 1,000 requests and uses of the controls,
// and at most 16 MiB.
func (s *Sandbox) Requests() []Request { return s.journal.requests() }

// Wait waits until at least that many requests have arrived, and returns their number.
func (s *Sandbox) Wait(ctx context.Context, least Counts) (Counts, error) {
	return s.journal.wait(ctx, least)
}

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
	// authority, new each time, that clients must trust.
	TLS string
	// Log logs each request, without secrets and tokens. Nil means no log.
	Log *slog.Logger
}

// checkLifetime refuses fractions of a second, which neither the expires_in of a token response nor the exp of a
// token can express.
func checkLifetime(d time.Duration) error {
	if d < time.Second || d > maxLifetime || d%time.Second != 0 {
		return fmt.Errorf("lifetime %v is not a number of whole seconds between %v and %v", d, time.Second, maxLifetime)
	}
	return nil
}
