// Package rostering calls the Automatic Rostering plugin from Go.
//
//	client, err := rostering.OpenFile(ctx, "rostering.wasm", rostering.Config{
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
//	body, err := client.Jobs(ctx)
//
// Open one and share it: the access token lives in the plugin's instance, and the
// plugin renews it by itself. What goes wrong is an [*Error].
//
// There are three forms with the same methods. In a [Client] the plugin sends its
// requests itself, one call at a time. A [Driver] sends them for the plugin, many at a
// time. A [Pool] is a driver with several instances. [Drive] is a driver's call for
// an instance of your own.
package rostering
