package sandbox

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const (
	tokenPath = "/connect/token"
	audience  = "automatic-rostering" // the aud claim of the tokens
)

// provider is an identity provider with the client credentials grant. op.UnimplementedServer refuses
// everything else.
type provider struct {
	op.UnimplementedServer
	issuer   string
	clients  map[string]*client // by id
	key      op.SigningKey
	lifetime atomic.Int64 // of new tokens; a time.Duration
	ledger   *ledger
}

func newProvider(issuer string, lifetime time.Duration) (*provider, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate a signing key: %w", err)
	}
	p := &provider{issuer: issuer, key: signingKey{id: rand.Text(), private: private}, ledger: newLedger(), clients: map[string]*client{
		"sandbox-stage":      {environment: Stage, id: "sandbox-stage", scope: "automatic-rostering-stage"},
		"sandbox-production": {environment: Production, id: "sandbox-production", scope: "automatic-rostering-prod"},
	}}
	p.lifetime.Store(int64(lifetime))
	p.rotate()
	return p, nil
}

// rotate replaces the secrets of the clients.
func (p *provider) rotate() {
	for _, c := range p.clients {
		c.secret.Store(new(rand.Text()))
	}
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

// handler returns op's web server. It passes to it only what the real identity provider is known to
// accept: op alone would also accept credentials from the query string of any method and from basic
// authentication, so that an incorrect client would pass. It discards op's log, which would have the
// contents of requests.
func (p *provider) handler() http.Handler {
	quiet := slog.New(slog.DiscardHandler)
	endpoints := op.Endpoints{Token: op.NewEndpoint(tokenPath)}
	web := op.RegisterServer(p, endpoints, op.WithFallbackLogger(quiet), op.WithServerCORSOptions(nil))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := checkTokenRequest(w, r); err != nil {
			op.WriteError(w, r, err, quiet)
			return
		}
		web.ServeHTTP(w, r)
	})
}

func checkTokenRequest(w http.ResponseWriter, r *http.Request) error {
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		return op.NewStatusError(invalidRequest("the token endpoint allows only POST"), http.StatusMethodNotAllowed)
	case mediaType != "application/x-www-form-urlencoded":
		return invalidRequest("the body must be application/x-www-form-urlencoded")
	case r.URL.RawQuery != "":
		return invalidRequest("the fields belong in the body, not in the query string")
	case r.Header.Get("Authorization") != "":
		w.Header().Set("WWW-Authenticate", `Basic realm="`+realm+`"`)
		err := oidc.ErrInvalidClient().WithDescription("the client authenticates in the body, not with an Authorization header")
		return op.NewStatusError(err, http.StatusUnauthorized)
	case r.ParseForm() != nil:
		return invalidRequest("the body is not a form")
	}
	for _, values := range r.PostForm {
		if len(values) > 1 {
			return invalidRequest("a field occurs more than once")
		}
	}
	return nil
}

func invalidRequest(description string) *oidc.Error {
	return oidc.ErrInvalidRequest().WithDescription("%s", description)
}

// VerifyClient implements op.Server. It sets the status to 401, because op would respond with 400.
func (p *provider) VerifyClient(_ context.Context, r *op.Request[op.ClientCredentials]) (op.Client, error) {
	c, ok := p.clients[r.Data.ClientID]
	if !ok || !c.authentic(r.Data.ClientSecret) {
		err := oidc.ErrInvalidClient().WithDescription("client_id or client_secret is wrong")
		return nil, op.NewStatusError(err, http.StatusUnauthorized)
	}
	return c, nil
}

// ClientCredentialsExchange implements op.Server.
func (p *provider) ClientCredentialsExchange(_ context.Context, r *op.ClientRequest[oidc.ClientCredentialsRequest]) (*op.Response, error) {
	c, ok := r.Client.(*client)
	if !ok {
		return nil, oidc.ErrServerError()
	}
	if scopes := r.Data.Scope; len(scopes) != 1 || scopes[0] != c.scope {
		return nil, oidc.ErrInvalidScope().WithDescription("this client can have only the scope %q", c.scope)
	}
	token, err := p.issue(c)
	if err != nil {
		return nil, oidc.ErrServerError().WithDescription("the token could not be issued").WithParent(err)
	}
	response := op.NewResponse(token)
	response.Header.Set("Cache-Control", "no-store")
	return response, nil
}

// issue issues a signed token for a client.
//
// It does not use op.CreateJWT, which has the scope only as a private claim, and may reduce
// expires_in by a second before the response is sent.
func (p *provider) issue(c *client) (*oidc.AccessTokenResponse, error) {
	lifetime := time.Duration(p.lifetime.Load())
	expiry := roundUp(time.Now().Add(lifetime))
	claims := oidc.NewAccessTokenClaims(p.issuer, c.id, []string{audience}, expiry, rand.Text(), c.id, 0)
	claims.Scopes = oidc.SpaceDelimitedArray{c.scope}
	signer, err := op.SignerFromKey(p.key)
	if err != nil {
		return nil, err
	}
	token, err := crypto.Sign(claims, signer)
	if err != nil {
		return nil, err
	}
	p.ledger.add(token, expiry)
	return &oidc.AccessTokenResponse{
		AccessToken: token, TokenType: oidc.BearerToken, ExpiresIn: uint64(lifetime / time.Second), Scope: claims.Scopes,
	}, nil
}

// roundUp rounds a time up to a whole second, as the expiry in a token is. Rounded down, a token
// would expire before its expires_in has passed: with a lifetime of one second, perhaps at
// once.
func roundUp(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); !whole.Equal(t) {
		return whole.Add(time.Second)
	}
	return t
}

// signingKey is the provider's key for op.SignerFromKey.
type signingKey struct {
	id      string
	private *ecdsa.PrivateKey
}

func (k signingKey) ID() string                                  { return k.id }
func (k signingKey) Key() any                                    { return k.private }
func (k signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.ES256 }

// client is the only client of an environment. It embeds the methods of op.Client that concern browser
// logins, and are never called for the client credentials grant.
type client struct {
	op.Client
	environment, id, scope string
	secret                 atomic.Pointer[string]
}

func (c *client) authentic(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(*c.secret.Load()), []byte(secret)) == 1
}

// GetID implements op.Client.
func (c *client) GetID() string { return c.id }

// AuthMethod implements op.Client.
func (c *client) AuthMethod() oidc.AuthMethod { return oidc.AuthMethodPost }

// GrantTypes implements op.Client.
func (c *client) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeClientCredentials}
}
