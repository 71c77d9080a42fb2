package world

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Redis runs redis-server on loopback, with nothing on disk.
type Redis struct {
	URL string

	ctx     context.Context // which ends it
	config  string
	admin   *redis.Client
	command *exec.Cmd
}

// StartRedis starts one on a free port. The user may do only what the pages of the libraries recommend.
func StartRedis(ctx context.Context, password string) (*Redis, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	r := &Redis{
		URL: fmt.Sprintf("redis://rostering:%s@%s", password, address), ctx: ctx,
		config: strings.Join([]string{
			"bind 127.0.0.1", "port " + port, `save ""`, "appendonly no", "user default off",
			"user rostering on >" + password + " ~rostering:* -@all +get +set", "user admin on >" + password + " +@all",
		}, "\n"),
		admin: redis.NewClient(&redis.Options{
			Addr: address, Username: "admin", Password: password, MaxRetries: 100, MaxRetryBackoff: 100 * time.Millisecond,
		}),
	}
	if err := l.Close(); err != nil {
		return nil, err
	}
	return r, r.Start()
}

// Start starts it, empty.
func (r *Redis) Start() error {
	r.command = exec.CommandContext(r.ctx, "redis-server", "-")
	r.command.Stdin = strings.NewReader(r.config)
	if err := r.command.Start(); err != nil {
		return err
	}
	return r.Limit(0)
}

// Limit sets how many bytes it may use, 0 for any number, as soon as it responds.
func (r *Redis) Limit(most int) error {
	return r.admin.ConfigSet(r.ctx, "maxmemory", fmt.Sprint(most)).Err()
}

// Signal sends a signal to it.
func (r *Redis) Signal(s os.Signal) error { return r.command.Process.Signal(s) }

// End kills it. Ending it again does nothing.
func (r *Redis) End() {
	_ = r.command.Process.Kill()
	_ = r.command.Wait()
}
