// Package environment reads what the examples are told by environment variables.
package environment

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"automatic-rostering/host-example/go/rostering"
)

// Config reads the config from the environment, and names all that is
// missing at once.
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
		Environment:  read("ROSTERING_ENVIRONMENT"),
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

const builtWasm = "dist/rostering.wasm"

// Wasm gives the path of the plugin: the one in ROSTERING_WASM, or the one
// built in this repository, wherever in it the program is run.
func Wasm(getenv func(string) string) (string, error) {
	if path := getenv("ROSTERING_WASM"); path != "" {
		return path, nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(dir, builtWasm)
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("there is no %s here or above: run make build, or set ROSTERING_WASM", builtWasm)
		}
		dir = parent
	}
}
