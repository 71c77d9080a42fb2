// Fleet is one process of a fleet whose processes share a token.
//
// Besides the variables of the host example, ROSTERING_REDIS is the URL of the Redis that
// the token is shared through; without it, the token is not shared. Each line on standard
// input is a number of calls to make. A line of JSON answers it:
//
//	{"calls":5,"token":"1f2e3d4c","expires_at":1800000000}
//
// Here token is the beginning of its SHA-256. A call that fails ends the process.
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

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/examples/environment"
)

func main() {
	if err := run(context.Background(), os.Getenv, os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, getenv func(string) string, stdin io.Reader, stdout io.Writer) error {
	config, err := environment.Config(getenv)
	if err != nil {
		return err
	}
	options, err := environment.Options(getenv)
	if err != nil {
		return err
	}
	client, err := rostering.New(ctx, config, options...)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close(ctx) }()
	for answers := json.NewEncoder(stdout); ; {
		var calls int
		if _, err := fmt.Fscanln(stdin, &calls); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		answer, err := call(ctx, client, calls)
		if err != nil {
			return err
		}
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

type answer struct {
	Calls     int    `json:"calls"`
	Token     string `json:"token,omitempty"`
	ExpiresAt int64  `json:"expires_at,omitempty"`
}

// call makes calls, and returns the token of the last one.
func call(ctx context.Context, client *rostering.Client, calls int) (answer, error) {
	for range calls {
		if _, err := client.ListJobs(ctx); err != nil {
			return answer{}, err
		}
	}
	if calls == 0 {
		return answer{}, nil
	}
	token, err := client.GetToken(ctx)
	hash := sha256.Sum256([]byte(token.AccessToken))
	return answer{calls, fmt.Sprintf("%.4x", hash[:4]), token.ExpiresAt.Unix()}, err
}
