// Package sandbox is a local stand-in for the Automatic Rostering service: an identity
// provider and a jobs service on loopback, for demonstrations and for tests of programs that
// call the service. Command rostering-sandbox runs it for programs in any language.
//
// The identity provider implements the client credentials grant at POST /connect/token.
// github.com/zitadel/oidc handles the protocol (parsing, errors, claims, signing), so that a
// client is tested against an independent implementation. The provider has no discovery and no
// keys: the jobs service asks it whether it issued a token. The jobs service has GET /jobs.
// What the real service returns there is not known, so every body of the jobs service says
// that it is made up.
//
// Faults are switched on and off at run time: in Go by the methods of [Sandbox], in any
// other language by requests to its control API:
//
//	POST   /faults    {"server":"jobs","status":503,"headers":{"Retry-After":"2"},"body":"busy","requests":1}
//	POST   /faults    {"server":"auth","delay_ms":500}
//	POST   /faults    {"server":"auth","hold":true}
//	POST   /faults    {"server":"jobs","cut_off":true}
//	DELETE /faults
//	POST   /revoke
//	POST   /rotate    replaces the secrets of the clients
//	POST   /lifetime  {"seconds":5}
//	GET    /counts    returns {"token_requests":1,"job_requests":2}
//	POST   /wait      {"job_requests":2} returns the same as soon as that many have arrived
//	GET    /          returns a page that shows the requests as they arrive
//	GET    /events    returns what the page shows, as server-sent events
//	GET    /requests  returns [{"server":"jobs","method":"GET","target":"/jobs","headers":{…},"body":"","length":0,"status":200}]
//
// The others return 204. The status of an invalid request is 400, and its body explains what
// is wrong.
package sandbox
