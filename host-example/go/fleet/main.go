// Fleet is one process of a fleet that shares a token through ROSTERING_STORE: the URL of a Redis
// server, or a folder; without it, each process requests its own. For each line on standard input,
// which is a number, it makes that many calls and prints a line of JSON:
//
//	{"calls":5,"token":"1f2e3d4c","expires_at":1800000000}
//
// The value of token is the beginning of its SHA-256. A call that fails ends the process.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/redisstore"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	config, err := rostering.ConfigFromEnv()
	if err != nil {
		return err
	}
	store, err := openStore(os.Getenv("ROSTERING_STORE"))
	if err != nil {
		return err
	}
	client, err := rostering.New(ctx, config, rostering.WithStore(store))
	if err != nil {
		return err
	}
	defer client.Close()
	for lines := json.NewEncoder(os.Stdout); ; {
		var calls int
		if _, err := fmt.Scanln(&calls); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		done, err := call(ctx, client, calls)
		if err != nil {
			return err
		}
		if err := lines.Encode(done); err != nil {
			return err
		}
	}
}

func openStore(name string) (rostering.Store, error) {
	switch {
	case name == "":
		return nil, nil
	case !strings.Contains(name, "://"):
		return rostering.NewFileStore(name)
	}
	options, err := redis.ParseURL(name)
	if err != nil {
		return nil, errors.New("config_invalid: ROSTERING_STORE is not the URL of a Redis server") // err may show its password
	}
	options.ContextTimeoutEnabled = true // a store operation has one second
	return redisstore.New(redis.NewClient(options)), nil
}

// report is the line of JSON.
type report struct {
	Calls     int    `json:"calls"`
	Token     string `json:"token,omitempty"`
	ExpiresAt int64  `json:"expires_at,omitempty"`
}

// call makes calls, and reports the token of the last one.
func call(ctx context.Context, client *rostering.Client, calls int) (report, error) {
	for range calls {
		if _, err := client.ListJobs(ctx); err != nil {
			return report{}, err
		}
	}
	if calls == 0 {
		return report{}, nil
	}
	token, err := client.GetToken(ctx)
	hash := sha256.Sum256([]byte(token.AccessToken))
	return report{calls, fmt.Sprintf("%.4x", hash[:4]), token.ExpiresAt.Unix()}, err
}
