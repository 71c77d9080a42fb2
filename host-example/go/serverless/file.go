package main

import (
	"context"
	"os"
	"path/filepath"

	"automatic-rostering/host-example/go/rostering"
)

// tokenFile is the path of a file that holds a token object.
type tokenFile string

// load has the kept token used, and gives its object. Without one that is of use the
// first request asks for a new one, so nothing that is wrong here is an error.
func (f tokenFile) load(ctx context.Context, driver *rostering.Driver) []byte {
	object, err := os.ReadFile(string(f))
	if err != nil {
		return nil
	}
	token, err := rostering.ParseToken(object)
	if err != nil || driver.SetToken(ctx, token) != nil {
		return nil
	}
	return token.Object()
}

// save replaces the file at once: another process may read it at any time.
func (f tokenFile) save(token rostering.Token) error {
	temporary, err := os.CreateTemp(filepath.Dir(string(f)), ".token-*") // readable by its owner alone
	if err != nil {
		return err
	}
	_, err = temporary.Write(token.Object())
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temporary.Name(), string(f))
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}
