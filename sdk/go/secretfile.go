package rostering

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// secretFile is the variable that names the file of the client secret.
const secretFile = "ROSTERING_CLIENT_SECRET_FILE"

// longestSecret limits that file, in bytes.
const longestSecret = 64 << 10

// readSecret reads the client secret from a file, without one newline at its end.
func (c *Config) readSecret(file string) {
	text, err := readStart(file, longestSecret+1)
	secret, ended := strings.CutSuffix(string(text), "\n")
	if ended {
		secret = strings.TrimSuffix(secret, "\r")
	}
	wrong := ""
	switch {
	case err != nil:
		wrong = "is missing or cannot be read"
	case len(text) > longestSecret:
		wrong = "has more than 64 KiB"
	case !utf8.ValidString(secret):
		wrong = "is not UTF-8"
	case secret == "":
		wrong = "is empty"
	default:
		c.ClientSecret = NewSecret(secret)
		return
	}
	c.wrongSecretFile = " names a file that " + wrong + ": it must have the client secret alone"
}

// readStart reads so many bytes of a file at most.
func readStart(file string, most int64) ([]byte, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	return io.ReadAll(io.LimitReader(opened, most))
}

// checkSecret returns what is wrong with the file of the secret, unless the program has set one.
func (c *Config) checkSecret() error {
	if c.wrongSecretFile == "" || c.ClientSecret != (Secret{}) {
		return nil
	}
	p := Problem{Key: "client_secret", Message: secretFile + c.wrongSecretFile}
	return &Error{Code: CodeConfigInvalid, Message: p.Message, Key: p.Key, Problems: []Problem{p}}
}
