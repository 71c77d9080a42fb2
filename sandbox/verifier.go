package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/zitadel/oidc/v3/pkg/client/rp"
	"github.com/zitadel/oidc/v3/pkg/oidc"
)

const signAlgorithm = "ES256"

// keysTimeout bounds fetching the provider's keys.
const keysTimeout = 5 * time.Second

var (
	errMalformed = errors.New("the access token is not a JWT")
	errSignature = errors.New("the signature of the access token is not the identity provider's")
	errIssuer    = errors.New("the access token is from another issuer")
	errExpired   = errors.New("the access token has expired")
	errScope     = errors.New("the access token has none of the service's scopes")
	errRevoked   = errors.New("the access token has been revoked")
)

// verifier checks access tokens for the jobs service.
type verifier struct {
	issuer string
	keys   oidc.KeySet
	ledger *ledger
}

// newVerifier returns a verifier that fetches the issuer's keys over HTTP. It keeps no connections, so
// that none outlives the sandbox, and uses no proxy of the environment.
func newVerifier(issuer string, l *ledger) *verifier {
	hc := &http.Client{Timeout: keysTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	return &verifier{issuer: issuer, keys: rp.NewRemoteKeySet(hc, issuer+keysPath), ledger: l}
}

// verify returns what is wrong with a token, or nil. The error does not contain the token.
//
// It does not use op.VerifyAccessToken, which decodes the claims before it checks the signature, and
// panics if the claims of a foreign token are null or have an audience that is no string.
func (v *verifier) verify(ctx context.Context, token string) error {
	var claims oidc.AccessTokenClaims
	payload, err := oidc.ParseToken(token, new(json.RawMessage))
	if err != nil {
		return errMalformed
	}
	// All callers wait for one fetch of the keys, so it must not end when the caller that began it
	// disconnects. keysTimeout bounds it.
	ctx = context.WithoutCancel(ctx)
	if err := oidc.CheckSignature(ctx, token, payload, &claims, []string{signAlgorithm}, v.keys); err != nil {
		return errSignature
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		return errMalformed
	}
	return v.check(&claims)
}

func (v *verifier) check(claims *oidc.AccessTokenClaims) error {
	switch {
	case oidc.CheckIssuer(claims, v.issuer) != nil:
		return errIssuer
	case oidc.CheckExpiration(claims, 0) != nil:
		return errExpired
	case !slices.ContainsFunc(claims.Scopes, knownScope):
		return errScope
	case !v.ledger.has(claims.JWTID):
		return errRevoked
	default:
		return nil
	}
}
