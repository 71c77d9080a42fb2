package model

// The times of the contract, in seconds.
const (
	margin     = 60
	day        = 86400
	settling   = 5  // before a renewed token is used
	young      = 10 // a refused fresh token that is younger may not work yet
	clockSlack = 60
	longest    = 30 // backoff
	hour       = 3600
)

// facts are what an instance knows.
type facts struct {
	token    token
	before   token    // the token before it
	refused  []string // the last four
	backoff  backoff
	lookedAt int64 // when a flow last read the store within a backoff
	cleared  int   // how often clear_token was called
}

type token struct {
	text                                  string
	expires, lifetime, requested, arrived int64
	fresh                                 bool
}

func (t *token) renewal() int64 { return t.expires - min(margin, t.lifetime/2) }

// failure is a failed token request, or a refused new token.
type failure struct {
	code   string
	status int64
}

func (f failure) refusal() bool { return f.code == "service_unauthorized" }

type backoff struct {
	failure
	since, wait int64
	count       int
}

// left returns the seconds until the next token request.
func (b *backoff) left(now int64) int64 {
	if now < b.since { // the clock was set back
		b.since = now
	}
	return max(0, b.since+b.wait-now)
}

// next returns the backoff after another failure.
func (b *backoff) next(f failure, now int64) backoff {
	count := b.count + 1
	if b.code != "" && b.refusal() != f.refusal() || f.refusal() && now > b.since+b.wait+60 {
		count = 1
	}
	n := count
	if f.refusal() {
		n--
	}
	next := backoff{failure: f, since: now, count: count}
	if n > 0 {
		next.wait = min(longest, int64(1)<<min(n-1, 10))
	}
	return next
}

// lock is a value of the lock.
type lock struct {
	state string // requesting, done or failed; or unreadable, or empty if it is gone
	failure
	until, wait int64
	count       int
}

// step is what the plugin returns, as far as the model compares it.
type step struct {
	kind           string // request, get, add, set, wait, done or error
	key            string // token or lock
	text           string // of the token that is written
	expires        int64  // of that token
	lock           lock   // that is written
	ttl            int64
	wait           string // seconds
	token          string // that calls use
	tokenExpires   int64
	until          int64
	code, errorKey string
	retryable      bool
	status, retry  int64
}

// final are the codes of errors that stay.
var final = []string{"invalid_input", "clock_unusable", "token_endpoint_rejected", "token_mismatch"}

// result is the result of a step.
type result struct {
	failed     bool
	status     int64 // of the token endpoint
	retryAfter int64
	token      string // that it issued, or in the store
	expiresIn  int64
	expires    int64 // in the store
	added      bool
	lock       lock
}
