package sandbox

import (
	"crypto/subtle"
	"sync/atomic"
	"time"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// client is the only client of an environment. Most of op.Client concerns browser logins,
// which the client credentials grant does not have.
type client struct {
	id, scope string
	secret    atomic.Pointer[string]
}

func newClient(id, secret, scope string) *client {
	c := &client{id: id, scope: scope}
	c.secret.Store(&secret)
	return c
}

var _ op.Client = (*client)(nil)

func (c *client) authentic(secret string) bool {
	return subtle.ConstantTimeCompare([]byte(*c.secret.Load()), []byte(secret)) == 1
}

// mayHave reports whether the requested scopes are exactly this client's scope.
func (c *client) mayHave(scopes []string) bool {
	return len(scopes) == 1 && c.IsScopeAllowed(scopes[0])
}

func (c *client) GetID() string                       { return c.id }
func (c *client) AuthMethod() oidc.AuthMethod         { return oidc.AuthMethodPost }
func (c *client) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }
func (c *client) ApplicationType() op.ApplicationType { return op.ApplicationTypeWeb }
func (c *client) IsScopeAllowed(scope string) bool    { return scope == c.scope }

func (c *client) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeClientCredentials}
}

func (c *client) RedirectURIs() []string               { return nil }
func (c *client) PostLogoutRedirectURIs() []string     { return nil }
func (c *client) ResponseTypes() []oidc.ResponseType   { return nil }
func (c *client) LoginURL(string) string               { return "" }
func (c *client) IDTokenLifetime() time.Duration       { return 0 }
func (c *client) DevMode() bool                        { return false }
func (c *client) IDTokenUserinfoClaimsAssertion() bool { return false }
func (c *client) ClockSkew() time.Duration             { return 0 }

func (c *client) RestrictAdditionalIdTokenScopes() func([]string) []string {
	return unchanged
}

func (c *client) RestrictAdditionalAccessTokenScopes() func([]string) []string {
	return unchanged
}

func unchanged(scopes []string) []string { return scopes }
