package sandbox

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const (
	tokenPath = "/connect/token"
	keysPath  = "/keys"
)

// provider is an identity provider with the client credentials grant only.
// Everything else is answered by op.UnimplementedServer.
type provider struct {
	op.UnimplementedServer
	clients map[string]*client
	minter  *minter
}

var endpoints = op.Endpoints{
	Token:   op.NewEndpoint(tokenPath),
	JwksURI: op.NewEndpoint(keysPath),
}

// handler routes requests through op's web server. Its own log is discarded:
// it would repeat what requests contain.
func (p *provider) handler() http.Handler {
	quiet := slog.New(slog.DiscardHandler)
	web := op.RegisterServer(p, endpoints, op.WithFallbackLogger(quiet), op.WithServerCORSOptions(nil))
	return gate(web, quiet)
}

// Discovery implements op.Server.
func (p *provider) Discovery(context.Context, *op.Request[struct{}]) (*op.Response, error) {
	issuer := p.minter.issuer
	return op.NewResponse(&oidc.DiscoveryConfiguration{
		Issuer:                            issuer,
		TokenEndpoint:                     endpoints.Token.Absolute(issuer),
		JwksURI:                           endpoints.JwksURI.Absolute(issuer),
		ScopesSupported:                   []string{StageScope, ProductionScope},
		GrantTypesSupported:               []oidc.GrantType{oidc.GrantTypeClientCredentials},
		SubjectTypesSupported:             []string{"public"},
		IDTokenSigningAlgValuesSupported:  []string{signAlgorithm},
		TokenEndpointAuthMethodsSupported: []oidc.AuthMethod{oidc.AuthMethodPost},
	}), nil
}

// Keys implements op.Server.
func (p *provider) Keys(context.Context, *op.Request[struct{}]) (*op.Response, error) {
	return op.NewResponse(p.minter.publicKeys()), nil
}

// VerifyClient implements op.Server. The status is set because op would answer
// 400 here, where its older provider answers 401.
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
	if !c.mayHave(r.Data.Scope) {
		return nil, oidc.ErrInvalidScope().WithDescription("this client may have the scope %q only", c.scope)
	}
	answer, err := p.minter.mint(c)
	if err != nil {
		return nil, oidc.ErrServerError().WithDescription("no token could be made").WithParent(err)
	}
	response := op.NewResponse(answer)
	response.Header.Set("Cache-Control", "no-store")
	return response, nil
}
