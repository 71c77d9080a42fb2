// Package rostering calls the Automatic Rostering service.
//
//	client, err := rostering.New(ctx, rostering.ConfigFromEnv())
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	jobs, err := client.ListJobs(ctx)
//
// Create one client for each process and share it: it is safe for concurrent use, and
// requests, caches and renews the access token.
//
// A call that fails returns an [*Error]; [Retry] retries a call. [Client.ForCustomer] and
// [Client.ForUser] return views of a client with other ids. [Transport] adds the token to your
// own requests. Clients share a token through a [Store].
package rostering
