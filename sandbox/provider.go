package sandbox

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"mime"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	tokenPath = "/connect/token"
	audience  = "automatic-rostering" // the aud claim of the tokens
)

// provider is an identity provider with the client credentials grant. It has no discovery and no public keys: the
// jobs service asks its ledger whether it issued a token.
type provider struct {
	issuer   string
	clients  map[string]*client // by id
	key      []byte
	lifetime atomic.Int64 // of new tokens; a time.Duration
	ledger   *ledger
}

// client is the only client of an environment.
type client struct {
	environment, id, scope string
	first                  string // secret
	secret                 atomic.Pointer[string]
}

func newProvider(issuer string, lifetime time.Duration) *provider {
	p := &provider{issuer: issuer, key: []byte(rand.Text()), ledger: newLedger(), clients: map[string]*client{
		"sandbox-stage":      {environment: Stage, id: "sandbox-stage", scope: "automatic-rostering-stage", first: rand.Text()},
		"sandbox-production": {environment: Production, id: "sandbox-production", scope: "automatic-rostering-prod", first: rand.Text()},
	}}
	p.reset(lifetime)
	return p
}

// reset restores the secrets of the start, and a lifetime.
func (p *provider) reset(lifetime time.Duration) {
	p.lifetime.Store(int64(lifetime))
	for _, c := range p.clients {
		c.secret.Store(&c.first)
	}
}

// rotate replaces the secrets of the clients, and returns the new ones by environment.
func (p *provider) rotate() map[string]string {
	secrets := map[string]string{}
	for _, c := range p.clients {
		secret := rand.Text()
		c.secret.Store(&secret)
		secrets[c.environment] = secret
	}
	return secrets
}

// tokenEndpointOnly refuses all other paths of the provider.
func tokenEndpointOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != tokenPath {
			writeProblem(w, http.StatusNotFound, "not_found", "the identity provider has no such path")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ServeHTTP responds to a token request.
func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	c, refused := p.authenticate(r)
	if refused != nil {
		if refused.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		writeJSON(w, refused.status, refused)
		return
	}
	lifetime := time.Duration(p.lifetime.Load())
	expiry := roundUp(time.Now().Add(lifetime))
	token := p.sign(map[string]any{
		"iss": p.issuer, "sub": c.id, "client_id": c.id, "aud": audience, "scope": c.scope,
		"iat": time.Now().Unix(), "exp": expiry.Unix(), "jti": rand.Text(),
	})
	p.ledger.add(token, expiry)
	if r, ok := w.(*recorder); ok {
		r.token = shortHash(token)
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"access_token": token, "token_type": "Bearer", "expires_in": int64(lifetime / time.Second), "scope": c.scope,
	})
}

// refusal is an error of RFC 6749, section 5.2.
type refusal struct {
	status      int
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// authenticate returns the client that sent a token request. It accepts only what the real identity provider is known
// to accept, and nothing from the request is in what it says.
func (p *provider) authenticate(r *http.Request) (*client, *refusal) {
	invalid := func(description string) (*client, *refusal) {
		return nil, &refusal{http.StatusBadRequest, "invalid_request", description}
	}
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		return nil, &refusal{http.StatusMethodNotAllowed, "invalid_request", "the token endpoint allows only POST"}
	case mediaType != "application/x-www-form-urlencoded":
		return invalid("the body must be application/x-www-form-urlencoded")
	case r.URL.RawQuery != "":
		return invalid("the fields belong in the body, not in the query string")
	case r.Header.Get("Authorization") != "":
		return nil, &refusal{http.StatusUnauthorized, "invalid_client", "the client authenticates in the body, not with an Authorization header"}
	case r.ParseForm() != nil:
		return invalid("the body is not a form")
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return invalid("a field occurs more than once")
		}
	}
	form := r.PostForm
	c := p.clients[form.Get("client_id")]
	switch {
	case form.Get("grant_type") == "":
		return invalid("grant_type is missing")
	case form.Get("grant_type") != "client_credentials":
		return nil, &refusal{http.StatusBadRequest, "unsupported_grant_type", "grant_type must be client_credentials"}
	case form.Get("client_id") == "":
		return invalid("client_id is missing")
	case c == nil || subtle.ConstantTimeCompare([]byte(*c.secret.Load()), []byte(form.Get("client_secret"))) != 1:
		return nil, &refusal{http.StatusUnauthorized, "invalid_client", "client_id or client_secret is wrong"}
	case form.Get("scope") != c.scope:
		return nil, &refusal{http.StatusBadRequest, "invalid_scope", "this client can have only the scope " + c.scope}
	}
	return c, nil
}

// sign returns claims as a JSON Web Token.
func (p *provider) sign(claims map[string]any) string {
	body, _ := json.Marshal(claims) // strings and numbers
	encode := base64.RawURLEncoding.EncodeToString
	token := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(body)
	mac := hmac.New(sha256.New, p.key)
	mac.Write([]byte(token))
	return token + "." + encode(mac.Sum(nil))
}

// roundUp rounds a time up to a whole second, as the expiry in a token is. Rounded down, a token would expire before
// its expires_in has passed: with a lifetime of one second, perhaps at once.
func roundUp(t time.Time) time.Time { return t.Add(time.Second - 1).Truncate(time.Second) }

var (
	errUnknown = errors.New("the access token was not issued by this sandbox, or was revoked")
	errExpired = errors.New("the access token has expired")
)

// kept is how long an expired token is remembered, so that it is refused as expired, not as unknown.
const kept = 10 * time.Minute

// ledger has the tokens that were issued and not revoked. It compares whole tokens, so that a changed one is unknown.
type ledger struct {
	mu     sync.Mutex
	tokens map[[sha256.Size]byte]issuedToken
}

// issuedToken is what the page shows of a token.
type issuedToken struct {
	Token   string    `json:"token"` // its short hash
	Expires time.Time `json:"expires_at"`
	issued  time.Time
}

func newLedger() *ledger { return &ledger{tokens: map[[sha256.Size]byte]issuedToken{}} }

func (l *ledger) add(token string, expiry time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.tokens, func(_ [sha256.Size]byte, t issuedToken) bool { return time.Since(t.Expires) > kept })
	l.tokens[sha256.Sum256([]byte(token))] = issuedToken{shortHash(token), expiry, time.Now()}
}

// valid returns the valid tokens, the newest last.
func (l *ledger) valid() []issuedToken {
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens := []issuedToken{} // not nil, which in JSON would be null
	for _, t := range l.tokens {
		if time.Now().Before(t.Expires) {
			tokens = append(tokens, t)
		}
	}
	slices.SortFunc(tokens, func(a, b issuedToken) int { return a.Expires.Compare(b.Expires) })
	return tokens
}

// verify returns what is wrong with a token, or nil. The error does not contain the token.
func (l *ledger) verify(token string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	issued, ok := l.tokens[sha256.Sum256([]byte(token))]
	switch {
	case !ok:
		return errUnknown
	case !time.Now().Before(issued.Expires):
		return errExpired
	default:
		return nil
	}
}

// younger reports whether a request's token was issued less than so long ago.
func (l *ledger) younger(r *http.Request, than time.Duration) bool {
	token, _ := bearer(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	issued, ok := l.tokens[sha256.Sum256([]byte(token))]
	return ok && time.Since(issued.issued) < than
}

// revoke forgets all tokens.
func (l *ledger) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.tokens)
}

// shortHash returns a name for a token that shows nothing of it.
func shortHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}
