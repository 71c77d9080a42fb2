package sandbox

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// audience is the aud claim of the tokens.
const audience = "automatic-rostering"

// minter issues signed access tokens and adds them to the ledger.
type minter struct {
	issuer   string
	ledger   *ledger
	key      signingKey
	lifetime atomic.Int64 // a time.Duration
}

func newMinter(issuer string, l *ledger, lifetime time.Duration) (*minter, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate a signing key: %w", err)
	}
	m := &minter{issuer: issuer, ledger: l, key: signingKey{id: rand.Text(), private: private}}
	m.lifetime.Store(int64(lifetime))
	return m, nil
}

// mint issues a token for a client.
//
// It does not use op.CreateJWT, which has the scope only as a private claim, and may reduce
// expires_in by a second before the response is sent.
func (m *minter) mint(c *client) (*oidc.AccessTokenResponse, error) {
	lifetime := time.Duration(m.lifetime.Load())
	expiry := roundUp(time.Now().Add(lifetime))
	id := m.ledger.add(expiry)
	claims := oidc.NewAccessTokenClaims(m.issuer, c.id, []string{audience}, expiry, id, c.id, c.ClockSkew())
	claims.Scopes = oidc.SpaceDelimitedArray{c.scope}
	token, err := m.sign(claims)
	if err != nil {
		return nil, err
	}
	m.ledger.name(id, token)
	return &oidc.AccessTokenResponse{
		AccessToken: token,
		TokenType:   oidc.BearerToken,
		ExpiresIn:   uint64(lifetime / time.Second),
		Scope:       claims.Scopes,
	}, nil
}

func (m *minter) sign(claims *oidc.AccessTokenClaims) (string, error) {
	signer, err := op.SignerFromKey(m.key)
	if err != nil {
		return "", err
	}
	return crypto.Sign(claims, signer)
}

// publicKeys returns the keys with which the tokens can be verified.
func (m *minter) publicKeys() *jose.JSONWebKeySet {
	return &jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{
		Key:       m.key.private.Public(),
		KeyID:     m.key.id,
		Algorithm: string(m.key.SignatureAlgorithm()),
		Use:       oidc.KeyUseSignature,
	}}}
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
