// Package environment reads the examples' config from environment variables.
package environment

import (
	"fmt"
	"strings"

	"automatic-rostering.example/rostering"
)

// Config reads the config, and names all missing variables at once.
func Config(getenv func(string) string) (c rostering.Config, err error) {
	var missing []string
	read := func(name string) string {
		value := getenv(name)
		if value == "" {
			missing = append(missing, name)
		}
		return value
	}
	c = rostering.Config{
		AuthURL:      read("ROSTERING_AUTH_URL"),
		BaseURL:      read("ROSTERING_BASE_URL"),
		Environment:  rostering.Environment(read("ROSTERING_ENVIRONMENT")),
		ClientID:     read("ROSTERING_CLIENT_ID"),
		ClientSecret: rostering.Secret(read("ROSTERING_CLIENT_SECRET")),
		CustomerID:   read("ROSTERING_CUSTOMER_ID"),
		UserID:       read("ROSTERING_USER_ID"),
	}
	if len(missing) > 0 {
		return c, fmt.Errorf("set %s", strings.Join(missing, ", "))
	}
	return c, nil
}

// Options has the plugin of ROSTERING_WASM, the path of its file, replace the one inside the
// library.
func Options(getenv func(string) string) []rostering.Option {
	if path := getenv("ROSTERING_WASM"); path != "" {
		return []rostering.Option{rostering.WithPluginFile(path)}
	}
	return nil
}
