// Package sandbox is a local stand-in for the Automatic Rostering service: an identity provider and a jobs service on
// loopback, for demonstrations and for tests of programs that call the service. Command rostering-sandbox runs it for
// programs in any language.
//
// The identity provider implements the client credentials grant at POST /connect/token. github.com/zitadel/oidc handles
// the protocol, so that a client is tested against an independent implementation. What the real service returns is not
// known, so every body of the jobs service says that it is made up.
//
// Faults are switched on and off at run time: in Go by the methods of [Sandbox], in any other language by requests to
// its controls, which docs/sandbox.md lists.
package sandbox
