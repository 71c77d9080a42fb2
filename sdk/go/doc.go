// Package rostering calls the Automatic Rostering service.
//
//	client, err := rostering.New(ctx, rostering.Config{
//		Environment:  rostering.Stage,
//		AuthURL:      "https://auth.example.com",
//		BaseURL:      "https://api.example.com",
//		ClientID:     "my-client",
//		ClientSecret: rostering.Secret(os.Getenv("ROSTERING_CLIENT_SECRET")),
//		CustomerID:   "my-customer",
//		UserID:       "my-user",
//	})
//	if err != nil {
//		return err
//	}
//	defer client.Close(context.Background())
//	response, err := client.ListJobs(ctx)
//
// Create one client and share it: it is safe for concurrent use and keeps the access
// token. The rules (when to request a token, who waits for it, what an answer means) are
// those of a WebAssembly plugin; this package runs the plugin, sends its requests with
// net/http and reads and writes the [Store] for it. Failures are [*Error] values.
//
// [Transport] adds the token to requests that the caller sends itself.
package rostering
