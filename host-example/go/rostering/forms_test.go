package rostering_test

import (
	"context"
	"testing"
	"time"

	"automatic-rostering/host-example/go/rostering"
)

// client is what all forms of the client can do. A program that calls one of them
// changes to another where it opens it.
type client interface {
	Jobs(context.Context) ([]byte, error)
	JobsFor(context.Context, rostering.JobsInput) ([]byte, error)
	SendRequest(context.Context, rostering.Request) ([]byte, error)
	Token(context.Context) (rostering.Token, error)
	ForceToken(context.Context) (rostering.Token, error)
	SetToken(context.Context, rostering.Token) error
	ClearToken(context.Context) error
	Close(context.Context) error
}

type opener func(*testing.T, rostering.Config, ...rostering.Option) client

var forms = map[string]opener{
	"client": func(t *testing.T, c rostering.Config, o ...rostering.Option) client { return open(t, c, o...) },
	"driver": func(t *testing.T, c rostering.Config, o ...rostering.Option) client { return openDriver(t, c, o...) },
	"pool":   func(t *testing.T, c rostering.Config, o ...rostering.Option) client { return openPool(t, 2, c, o...) },
}

// inEachForm runs a test with each form of the client.
func inEachForm(t *testing.T, test func(t *testing.T, open opener)) {
	for name, open := range forms {
		t.Run(name, func(t *testing.T) { test(t, open) })
	}
}

// driven are the clients that send the requests themselves.
type driven interface {
	client
	SetClock(func() time.Time)
	CallDirectly(export string) error
	UnderWay() []int
}

// inEachDrivenForm is inEachForm for those.
func inEachDrivenForm(t *testing.T, test func(t *testing.T, open func(rostering.Config, ...rostering.Option) driven)) {
	for name, open := range forms {
		if name == "client" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			test(t, func(c rostering.Config, o ...rostering.Option) driven { return open(t, c, o...).(driven) })
		})
	}
}

func open(t *testing.T, config rostering.Config, options ...rostering.Option) *rostering.Client {
	t.Helper()
	c, err := rostering.OpenFile(t.Context(), wasmPath, config, withCache(options)...)
	return closed(t, c, err)
}

func openDriver(t *testing.T, config rostering.Config, options ...rostering.Option) *rostering.Driver {
	t.Helper()
	d, err := rostering.OpenDriverFile(t.Context(), wasmPath, config, withCache(options)...)
	return closed(t, d, err)
}

func openPool(t *testing.T, size int, config rostering.Config, options ...rostering.Option) *rostering.Pool {
	t.Helper()
	p, err := rostering.OpenPoolFile(t.Context(), wasmPath, size, config, withCache(options)...)
	return closed(t, p, err)
}

func withCache(options []rostering.Option) []rostering.Option {
	return append([]rostering.Option{rostering.WithCacheDir(compiled)}, options...)
}

// closed has a client closed at the end of the test.
func closed[C client](t *testing.T, c C, err error) C {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return c
}
