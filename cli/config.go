package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"automatic-rostering.example/rostering/sdk/go"
)

// options are those of all commands. The secret has no flag: others could see it in the list of
// processes.
type options struct {
	EnvFile          string        `placeholder:"FILE" help:"Read ROSTERING_* from a file in the format of docker run --env-file."`
	Environment      string        `placeholder:"NAME" help:"stage or production."`
	AuthURL          string        `name:"auth-url" placeholder:"URL" help:"Base URL of the token endpoint."`
	BaseURL          string        `name:"base-url" placeholder:"URL" help:"Base URL of the service."`
	ClientID         string        `name:"client-id" placeholder:"ID" help:"Id of the client."`
	ClientSecretFile string        `placeholder:"FILE" help:"File with the client secret; - is standard input."`
	Customer         string        `placeholder:"ID" help:"Customer id."`
	User             string        `placeholder:"ID" help:"User id."`
	Scope            string        `help:"Overrides the scope of the environment."`
	RefreshMargin    string        `placeholder:"SECONDS" help:"Renew a token so long before it expires."`
	AllowHTTP        bool          `name:"allow-http" help:"Allow http:// beyond loopback."`
	Cache            cache         `placeholder:"FOLDER" help:"Share tokens with later runs, in FOLDER or the user's cache."`
	Timeout          time.Duration `default:"30s" help:"Limit the time of a call; 0 means none."`
	Verbose          bool          `short:"v" help:"Log to standard error."`
}

// cache is the flag --cache, with or without a folder.
type cache struct{ folder string }

// IsBool implements kong's BoolMapperValue: no value has to follow.
func (*cache) IsBool() bool { return true }

// Decode implements kong's MapperValue.
func (c *cache) Decode(ctx *kong.DecodeContext) error {
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		c.folder, _ = ctx.Scan.Pop().Value.(string)
		if c.folder != "" {
			return nil
		}
		return errors.New("--cache= has no folder: name one, or write --cache")
	}
	folder, err := os.UserCacheDir()
	c.folder = filepath.Join(folder, "rostering")
	return err
}

const secretFile = "ROSTERING_CLIENT_SECRET_FILE"

// flags returns the flags of config keys, by the key's variable.
func (o *options) flags() map[string]string {
	flags := map[string]string{
		"ROSTERING_ENVIRONMENT": o.Environment, "ROSTERING_AUTH_URL": o.AuthURL, "ROSTERING_BASE_URL": o.BaseURL,
		"ROSTERING_CLIENT_ID": o.ClientID, "ROSTERING_CUSTOMER_ID": o.Customer, "ROSTERING_USER_ID": o.User,
		"ROSTERING_SCOPE": o.Scope, "ROSTERING_REFRESH_MARGIN": o.RefreshMargin, secretFile: o.ClientSecretFile,
		"ROSTERING_ALLOW_HTTP": "",
	}
	if o.AllowHTTP {
		flags["ROSTERING_ALLOW_HTTP"] = "true"
	}
	return flags
}

// config reads the config: flags first, then the file, then the environment.
func (s *session) config() (rostering.Config, error) {
	var none rostering.Config
	flags := s.flags()
	flags["ROSTERING_CLIENT_SECRET"] = ""
	if s.EnvFile != "" {
		if err := readEnvFile(s.EnvFile, flags); err != nil {
			return none, err
		}
	}
	if s.ClientSecretFile != "" {
		flags["ROSTERING_CLIENT_SECRET"] = ""
	}
	if flags["ROSTERING_CLIENT_SECRET"]+flags[secretFile] != "" { // that of the environment comes last
		_, _ = os.Unsetenv("ROSTERING_CLIENT_SECRET"), os.Unsetenv(secretFile)
	}
	for name, value := range flags {
		if value != "" {
			if err := os.Setenv(name, value); err != nil {
				return none, usage("%s: %w", name, err)
			}
		}
	}
	if os.Getenv(secretFile) != "-" {
		return rostering.ConfigFromEnv(), nil
	}
	_ = os.Unsetenv(secretFile)
	config := rostering.ConfigFromEnv()
	stdin, err := s.takeStdin()
	if err != nil {
		return none, err
	}
	secret, err := io.ReadAll(io.LimitReader(stdin, longestSecret+1))
	if err != nil {
		return none, usage("standard input: %w", err)
	}
	if len(secret) > longestSecret {
		return none, usage("standard input has more than 64 KiB: it must have the client secret alone")
	}
	if line, ended := bytes.CutSuffix(secret, []byte("\n")); ended {
		secret = bytes.TrimSuffix(line, []byte("\r"))
	}
	config.ClientSecret = rostering.NewSecret(string(secret))
	return config, nil
}

const longestSecret = 64 << 10 // bytes

var variable = regexp.MustCompile(`^[A-Z0-9_]+$`)

// readEnvFile adds the variables of a file to those of the flags, which take precedence. As in
// Docker's, a line is NAME=VALUE, a comment after #, or a NAME whose value the environment has.
func readEnvFile(file string, flags map[string]string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return usage("--env-file: %w", err)
	}
	if !utf8.Valid(text) { // such as what PowerShell 5 writes
		return usage("--env-file: %s is not UTF-8", file)
	}
	found := map[string]string{} // the last value counts
	for n, line := range strings.Split(string(bytes.TrimPrefix(text, []byte("\ufeff"))), "\n") {
		line = strings.TrimSuffix(strings.TrimLeft(line, " \t"), "\r")
		name, value, set := strings.Cut(line, "=")
		at := fmt.Sprintf("%s, line %d", file, n+1)
		ours := strings.HasPrefix(name, "ROSTERING_")
		_, known := flags[name]
		switch quoted := len(value) > 1 && strings.ContainsAny(value[:1], `"'`) && value[0] == value[len(value)-1]; {
		case line == "" || line[0] == '#' || !ours && !strings.HasPrefix(line, "export "):
		case !ours:
			return usage("%s: remove \"export\": the format is that of docker run --env-file", at)
		case !variable.MatchString(name): // the rest may be a secret
			return usage("%s: the form is NAME=VALUE", at)
		case !known && name != "ROSTERING_SANDBOX_URL":
			return usage("%s: unknown variable %q", at, name)
		case quoted:
			return usage("%s: the value of %s is in quotes, which would be a part of it: remove them", at, name)
		case set:
			found[name] = value
		}
	}
	for name, value := range found {
		if flags[name] == "" {
			flags[name] = value
		}
	}
	return nil
}
