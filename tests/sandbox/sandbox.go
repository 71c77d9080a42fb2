package sandbox

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Sandbox is a running identity provider with its jobs service and controls.
// Its methods may be called by several goroutines at once.
type Sandbox struct {
	auth, jobs, control *server

	clients map[string]*client // by environment
	minter  *minter
	ledger  *ledger

	faults                     map[string]*injector // by server
	tokenRequests, jobRequests atomic.Int64

	closing  chan struct{}
	unwatch  func() bool // stops closing by the context given to Start
	once     sync.Once
	closeErr error
}

// Counts says how many requests have arrived, answered or not.
type Counts struct {
	// TokenRequests to /connect/token of the identity provider.
	TokenRequests int64 `json:"token_requests"`
	// JobRequests to /jobs of the jobs service.
	JobRequests int64 `json:"job_requests"`
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
	return c.id, c.secret
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
	i.set(f)
	return nil
}

// ClearFaults ends the faults of both servers. A request that is being delayed
// already stays delayed.
func (s *Sandbox) ClearFaults() {
	for _, i := range s.faults {
		i.clear()
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
	return Counts{TokenRequests: s.tokenRequests.Load(), JobRequests: s.jobRequests.Load()}
}
