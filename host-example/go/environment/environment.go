// Package environment reads the examples' config from environment variables.
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

const builtWasm = "dist/rostering-nowasi.wasm"

// Wasm returns the path of the plugin: ROSTERING_WASM, or else the one that make build
// made, from any directory in this repository.
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
			return "", fmt.Errorf("%s is missing here and above: run make build, or set ROSTERING_WASM", builtWasm)
		}
		dir = parent
	}
}
