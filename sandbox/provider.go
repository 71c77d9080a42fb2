package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const tokenPath = "/connect/token"

// provider is an identity provider with the client credentials grant. op.UnimplementedServer refuses
// everything else. Its tokens are opaque: the jobs service asks its ledger whether it issued one.
type provider struct {
	op.UnimplementedServer
	clients  map[string]*client // by id
	lifetime atomic.Int64       // of new tokens; a time.Duration
	ledger   *ledger
}

// client is the only client of an environment. It embeds the methods of op.Client that concern browser
// logins, and are never called for the client credentials grant.
type client struct {
	op.Client
	environment, id, scope string
	first                  string // secret
	secret                 atomic.Pointer[string]
}

func newProvider(lifetime time.Duration) *provider {
	p := &provider{ledger: newLedger(), clients: map[string]*client{
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

// issuing is the key of a context with the recorder of the response.
type issuing struct{}

// handler returns op's web server. It passes to it only what the real identity provider is known to
// accept: op alone would also accept credentials from the query string of any method and from basic
// authentication. It discards op's log, which would have the contents of requests.
func (p *provider) handler() http.Handler {
	quiet := slog.New(slog.DiscardHandler)
	endpoints := op.Endpoints{Token: op.NewEndpoint(tokenPath)}
	web := op.RegisterServer(p, endpoints, op.WithFallbackLogger(quiet), op.WithServerCORSOptions(nil))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkTokenRequest(w, r); err != nil {
			op.WriteError(w, r, err, quiet)
			return
		}
		whole := &buffered{ResponseWriter: w}
		web.ServeHTTP(whole, r.WithContext(context.WithValue(r.Context(), issuing{}, w)))
		_, _ = w.Write(faultOf(r).alter(whole.body.Bytes()))
	})
}

// buffered keeps the body of a response, for a fault to change.
type buffered struct {
	http.ResponseWriter
	body bytes.Buffer
}

// Write implements http.ResponseWriter.
func (b *buffered) Write(p []byte) (int, error) { return b.body.Write(p) }

func checkTokenRequest(w http.ResponseWriter, r *http.Request) error {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return op.NewStatusError(invalid("the token endpoint allows only POST"), http.StatusMethodNotAllowed)
	case mediaType != "application/x-www-form-urlencoded":
		return invalid("the body must be application/x-www-form-urlencoded")
	case r.URL.RawQuery != "":
		return invalid("the fields belong in the body, not in the query string")
	case r.Header.Get("Authorization") != "":
		err := oidc.ErrInvalidClient().WithDescription("the client authenticates in the body, not with an Authorization header")
		return op.NewStatusError(err, http.StatusUnauthorized)
	case r.ParseForm() != nil:
		return invalid("the body is not a form")
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return invalid("a field occurs more than once")
		}
	}
	return nil
}

func invalid(description string) *oidc.Error {
	return oidc.ErrInvalidRequest().WithDescription("%s", description)
}

// VerifyClient implements op.Server. It sets the status to 401, because op would respond with 400.
func (p *provider) VerifyClient(_ context.Context, r *op.Request[op.ClientCredentials]) (op.Client, error) {
	c, ok := p.clients[r.Data.ClientID]
	if !ok || subtle.ConstantTimeCompare([]byte(*c.secret.Load()), []byte(r.Data.ClientSecret)) != 1 {
		err := oidc.ErrInvalidClient().WithDescription("client_id or client_secret is wrong")
		return nil, op.NewStatusError(err, http.StatusUnauthorized)
	}
	return c, nil
}

// ClientCredentialsExchange implements op.Server.
func (p *provider) ClientCredentialsExchange(ctx context.Context, r *op.ClientRequest[oidc.ClientCredentialsRequest]) (*op.Response, error) {
	c := p.clients[r.Client.GetID()]
	if scopes := r.Data.Scope; len(scopes) != 1 || scopes[0] != c.scope {
		return nil, oidc.ErrInvalidScope().WithDescription("this client can have only the scope %q", c.scope)
	}
	lifetime := time.Duration(p.lifetime.Load())
	token := "sandbox." + rand.Text() + rand.Text()
	p.ledger.add(token, time.Now().Add(lifetime))
	if r, ok := ctx.Value(issuing{}).(*recorder); ok {
		r.token = shortHash(token)
	}
	response := op.NewResponse(&oidc.AccessTokenResponse{
		AccessToken: token, TokenType: oidc.BearerToken, ExpiresIn: uint64(lifetime / time.Second), Scope: r.Data.Scope,
	})
	response.Header.Set("Cache-Control", "no-store")
	return response, nil
}

// GetID implements op.Client.
func (c *client) GetID() string { return c.id }

// AuthMethod implements op.Client.
func (c *client) AuthMethod() oidc.AuthMethod { return oidc.AuthMethodPost }

// GrantTypes implements op.Client.
func (c *client) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeClientCredentials}
}

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

	revoked time.Time
}

// isRevoked reports whether the token is in the list of revocations, or in an old one of the time known.
func (t issuedToken) isRevoked(known time.Time) bool {
	return !t.revoked.IsZero() && (known.IsZero() || t.revoked.Before(known))
}

func newLedger() *ledger { return &ledger{tokens: map[[sha256.Size]byte]issuedToken{}} }

func (l *ledger) add(token string, expiry time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.tokens, func(_ [sha256.Size]byte, t issuedToken) bool { return time.Since(t.Expires) > kept })
	l.tokens[sha256.Sum256([]byte(token))] = issuedToken{Token: shortHash(token), Expires: expiry}
}

// valid returns the valid tokens, the newest last.
func (l *ledger) valid() []issuedToken {
	l.mu.Lock()
	defer l.mu.Unlock()
	tokens := []issuedToken{} // not nil, which in JSON would be null
	for _, t := range l.tokens {
		if t.revoked.IsZero() && time.Now().Before(t.Expires) {
			tokens = append(tokens, t)
		}
	}
	slices.SortFunc(tokens, func(a, b issuedToken) int { return a.Expires.Compare(b.Expires) })
	return tokens
}

// verify returns what is wrong with a token, or nil. The error does not contain the token. If known is not zero, only the
// revocations until then are known.
func (l *ledger) verify(token string, known time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch issued, ok := l.tokens[sha256.Sum256([]byte(token))]; {
	case !ok || issued.isRevoked(known):
		return errUnknown
	case !time.Now().Before(issued.Expires):
		return errExpired
	}
	return nil
}

// revoke revokes all tokens.
func (l *ledger) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for hash, t := range l.tokens {
		if t.revoked.IsZero() {
			t.revoked = time.Now()
			l.tokens[hash] = t
		}
	}
}

// shortHash returns a name for a token that shows nothing of it.
func shortHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:4])
}
