package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
)

// closeGrace is how long Close waits for requests.
const closeGrace = time.Second

// Start starts a sandbox, which runs until [Sandbox.Close] or until ctx ends.
func Start(ctx context.Context, c Config) (*Sandbox, error) {
	c = c.withDefaults()
	if err := errors.Join(ctx.Err(), c.validate()); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", err)
	}
	s := newSandbox(c)
	if err := s.start(c); err != nil {
		return nil, fmt.Errorf("start the sandbox: %w", errors.Join(err, s.closeOnce()))
	}
	s.unwatch = context.AfterFunc(ctx, func() { _ = s.closeOnce() })
	return s, nil
}

func newSandbox(c Config) *Sandbox {
	closing := make(chan struct{})
	return &Sandbox{
		clients: map[string]*client{
			Stage:      newClient(StageClientID, c.StageSecret, StageScope),
			Production: newClient(ProductionClientID, c.ProductionSecret, ProductionScope),
		},
		ledger:   newLedger(),
		journal:  newJournal(closing),
		timeline: newTimeline(),
		faults: map[string]*injector{
			AuthServer: {closing: closing},
			JobsServer: {closing: closing},
		},
		closing: closing,
	}
}

// start listens on all ports first: the jobs service must know the issuer, which is the URL of
// the provider.
func (s *Sandbox) start(c Config) (err error) {
	for srv, port := range map[**server]int{&s.auth: 0, &s.jobs: 0, &s.control: c.Port} {
		if *srv, err = listen(c.Addr, port); err != nil {
			return err
		}
	}
	if s.minter, err = newMinter(s.AuthURL(), s.ledger, c.Lifetime); err != nil {
		return err
	}
	s.serve(c)
	return nil
}

func (s *Sandbox) serve(c Config) {
	auth := s.watched(AuthServer, isTokenRequest, s.providerHandler())
	s.auth.serve(logged(c.Log, AuthServer, []string{tokenPath, keysPath, oidc.DiscoveryEndpoint}, auth), c.Log)

	verify := newVerifier(s.AuthURL(), s.ledger).verify
	jobs := s.watched(JobsServer, anyRequest, jobsHandler(verify))
	s.jobs.serve(logged(c.Log, JobsServer, []string{jobsPath}, jobs), c.Log)

	routes := controls(s)
	paths := slices.Collect(maps.Keys(routes))
	s.control.serve(logged(c.Log, "control", paths, http.NewCrossOriginProtection().Handler(buffered(controlHandler(routes)))), c.Log)
}

func (s *Sandbox) providerHandler() http.Handler {
	byID := make(map[string]*client, len(s.clients))
	for _, c := range s.clients {
		byID[c.id] = c
	}
	return (&provider{clients: byID, minter: s.minter}).handler()
}

// Close closes the sandbox. It cuts off delayed requests, waits for the others for a second, and
// then cuts them off, too. When it returns, the ports are free and no goroutine is left. Closing
// again does nothing.
func (s *Sandbox) Close() error {
	s.unwatch()
	return s.closeOnce()
}

func (s *Sandbox) closeOnce() error {
	s.once.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Sandbox) close() error {
	close(s.closing)
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	var errs []error
	// The jobs service is first, because it fetches keys from the provider.
	for _, srv := range []*server{s.jobs, s.auth, s.control} {
		if srv != nil {
			errs = append(errs, srv.close(ctx))
		}
	}
	return errors.Join(errs...)
}
