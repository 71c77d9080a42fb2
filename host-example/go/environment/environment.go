// Package environment reads the examples' config from environment variables.
package environment

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/redisstore"
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

// Options reads what else there is to set:
//
//   - ROSTERING_REDIS is the URL of a Redis through which processes share the token,
//   - ROSTERING_STORE is a directory for that, on one machine,
//   - ROSTERING_WASM is the file of a plugin to replace the one inside the library.
func Options(getenv func(string) string) (options []rostering.Option, err error) {
	if path := getenv("ROSTERING_WASM"); path != "" {
		options = append(options, rostering.WithPluginFile(path))
	}
	store, err := store(getenv)
	if store != nil {
		options = append(options, rostering.WithStore(store))
	}
	return options, err
}

func store(getenv func(string) string) (rostering.Store, error) {
	if url := getenv("ROSTERING_REDIS"); url != "" {
		o, err := redis.ParseURL(url)
		if err != nil {
			return nil, errors.New("ROSTERING_REDIS is not the URL of a Redis") // err would show the password
		}
		o.ContextTimeoutEnabled = true
		return redisstore.New(redis.NewClient(o)), nil
	}
	if dir := getenv("ROSTERING_STORE"); dir != "" {
		store, err := rostering.NewFileStore(dir)
		if err != nil {
			return nil, err
		}
		return store, nil
	}
	return nil, nil
}
