package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/sandbox"
)

// options are what a caller of run may choose.
type options struct {
	wasm   string // path of the plugin
	color  bool
	secret string // of the sandbox's client; made up if empty
}

// demo is one run under way.
type demo struct {
	*printer
	wasm    string
	sandbox *sandbox.Sandbox
	config  rostering.Config
	client  *rostering.Client
	wire    *wire
	late    int // token requests of this step that a stall of the machine let through
}

// run shows all steps, and fails at the first that goes wrong. Until it returns,
// it listens in on http.DefaultClient, with which the client sends.
func run(ctx context.Context, stdout io.Writer, o options) (err error) {
	sandbox, err := sandbox.Start(ctx, sandbox.Config{StageSecret: o.secret})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sandbox.Close()) }()

	d := &demo{
		printer: &printer{w: stdout, color: o.color},
		wasm:    o.wasm,
		sandbox: sandbox,
		config:  clientConfig(sandbox),
		wire:    tap(http.DefaultClient),
	}
	defer d.wire.remove()
	if err := d.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.client.Close()) }()
	return d.showAll(ctx, steps)
}

func clientConfig(s *sandbox.Sandbox) rostering.Config {
	id, secret := s.Client(sandbox.Stage)
	return rostering.Config{
		Environment:   rostering.Stage,
		AuthURL:       s.AuthURL(),
		BaseURL:       s.BaseURL(),
		ClientID:      id,
		ClientSecret:  rostering.Secret(secret),
		CustomerID:    "sandbox-customer",
		UserID:        "sandbox-user",
		RefreshMargin: time.Second,
	}
}

func (d *demo) newClient(ctx context.Context, config rostering.Config) (*rostering.Client, error) {
	wasm, err := os.ReadFile(d.wasm)
	if err != nil {
		return nil, err
	}
	return rostering.New(ctx, config, rostering.WithPlugin(wasm), rostering.WithHTTPClient(http.DefaultClient))
}

func (d *demo) open(ctx context.Context) (err error) {
	start := time.Now()
	d.client, err = d.newClient(ctx, d.config)
	if err != nil {
		return err
	}
	d.line(0, d.strong("The Automatic Rostering plugin against a sandbox"))
	d.line(1, "identity provider  "+d.sandbox.AuthURL())
	d.line(1, "service            "+d.sandbox.BaseURL()+", with made-up jobs")
	if os.Getenv("SANDBOX_PAGE") == "1" {
		d.line(1, "page to watch      "+d.sandbox.ControlURL())
	}
	d.line(1, "plugin             "+d.wasm+", opened in "+since(start))
	return nil
}
