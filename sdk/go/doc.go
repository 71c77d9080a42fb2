// Package rostering calls the Automatic Rostering service.
//
//	config, err := rostering.ConfigFromEnv()
//	if err != nil {
//		return err
//	}
//	client, err := rostering.New(ctx, config)
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	jobs, err := client.ListJobs(ctx)
//
// Create one client and share it: it is safe for concurrent use and keeps the access
// token. The rules (when to request a token, who waits for it, what a response means) are
// those of a WebAssembly plugin; this package runs the plugin, sends its requests with
// net/http, and reads and writes the [Store] for it. Failures are [*Error] values; [Retry]
// retries those that are worth it.
//
// [Client.ForCustomer] and [Client.ForUser] return views of a client with other ids.
// [Transport] adds the token to requests that the caller sends itself.
package rostering
