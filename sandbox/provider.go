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

// provider is an identity provider with the client credentials grant. op.UnimplementedServer refuses
// everything else.
type provider struct {
	op.UnimplementedServer
	clients map[string]*client
	minter  *minter
}

var endpoints = op.Endpoints{
	Token:   op.NewEndpoint(tokenPath),
	JwksURI: op.NewEndpoint(keysPath),
}

// handler returns op's web server behind the gate. It discards op's log, which would have the contents
// of requests.
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
	if !c.mayHave(r.Data.Scope) {
		return nil, oidc.ErrInvalidScope().WithDescription("this client can have only the scope %q", c.scope)
	}
	token, err := p.minter.mint(c)
	if err != nil {
		return nil, oidc.ErrServerError().WithDescription("the token could not be issued").WithParent(err)
	}
	response := op.NewResponse(token)
	response.Header.Set("Cache-Control", "no-store")
	return response, nil
}
