// Package sandbox is a stand-in for the Automatic Rostering service: an
// identity provider and a jobs service on loopback, for demonstrations and for
// tests of programs that call the service. Command rostering-sandbox runs it for
// programs in any language.
//
// The identity provider answers POST /connect/token with the client
// credentials grant. Its protocol handling (parsing, errors, claims, signing)
// is that of github.com/zitadel/oidc, so that a client is tried against an
// implementation it does not share. The jobs service answers GET /jobs. What
// the real service answers there is not known, so every body of the jobs
// service says of itself that it is made up.
//
// Failures are switched on and off at run time, from Go through [Sandbox] or
// from any other language through the control listener:
//
//	POST   /faults    {"server":"jobs","status":503,"headers":{"Retry-After":"2"},"body":"busy","requests":1}
//	POST   /faults    {"server":"auth","delay_ms":500}
//	POST   /faults    {"server":"auth","hold":true}
//	POST   /faults    {"server":"jobs","cut_off":true}
//	DELETE /faults
//	POST   /revoke
//	POST   /rotate    gives the clients other secrets
//	POST   /lifetime  {"seconds":5}
//	GET    /counts    answers {"token_requests":1,"job_requests":2}
//	POST   /wait      {"job_requests":2} answers the same once so many have arrived
//	GET    /          answers the page, which shows all this while it happens
//	GET    /events    answers what the page shows, as server-sent events
//	GET    /requests  answers [{"server":"jobs","method":"GET","target":"/jobs","headers":{…},"body":"","length":0}]
//
// The others answer 204, and all 400 with an explanation for what they do not
// understand.
package sandbox
