package model

// The times of the contract, in seconds.
const (
	margin     = 60
	day        = 86400
	overlap    = 5   // at least, of the token before a renewed one
	young      = 10  // a refused token that is younger may not work yet
	forgotten  = 600 // after its last backoff, a series of refused tokens
	clockSlack = 60
	longest    = 30 // backoff
	hour       = 3600
)

// facts are what an instance knows.
type facts struct {
	secret   string // of the config
	token    token
	before   token // the token before it, which is used until useFrom
	useFrom  int64
	overlaps int      // how often the token was refused meanwhile
	refused  []string // the last four
	backoff  backoff
	lookedAt int64 // when a flow last read the store within a backoff
	cleared  int   // how often clear_token was called
}

type token struct {
	text                         string
	expires, lifetime, requested int64
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
	refusals    bool // what it counts
	since, wait int64
	count       int
	series      int64 // when the first young token was refused
	secret      string
	forAll      bool // a Retry-After, whatever the secret
}

// left returns the seconds until the next token request.
func (i *facts) left(now int64) int64 {
	b := &i.backoff
	if b.code == "" {
		return 0
	}
	b.since = min(b.since, now) // the clock was set back
	left := max(0, b.since+b.wait-now)
	if left > 0 && b.rejected() && b.secret != i.secret {
		i.endBackoff(now)
		return 0
	}
	return left
}

// rejected reports whether it is because of the secret.
func (b *backoff) rejected() bool { return b.code == "token_endpoint_rejected" && !b.forAll }

// endBackoff ends the backoff of failed token requests. A series of refused tokens continues.
func (i *facts) endBackoff(now int64) {
	if b := &i.backoff; !b.refusals && b.code != "" {
		i.backoff = backoff{refusals: true, since: now, count: 2, series: b.inSeries(now)}
	}
}

// inSeries returns when the current series began, or 0.
func (b *backoff) inSeries(now int64) int64 {
	length := int64(forgotten)
	if b.refusals && b.count == 1 {
		length = young
	}
	if now > b.since+b.wait+length {
		return 0
	}
	return b.series
}

// next returns the backoff after another failure.
func (b *backoff) next(f failure, now int64) backoff {
	next := backoff{failure: f, refusals: f.refusal(), since: now, count: 1, series: b.inSeries(now)}
	if b.refusals == f.refusal() && (next.series != 0 || !f.refusal() && b.code != "") {
		next.count = b.count + 1
	}
	n := next.count
	if f.refusal() {
		n--
		if next.series == 0 {
			next.series = now
		}
	}
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
	requested      int64  // of that token, with the series in which it was requested
	series         int64
	lock           lock // that is written
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
	expires    int64 // in the store, as the following two
	requested  int64
	series     int64
	added      bool
	lock       lock
}
