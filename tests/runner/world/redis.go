package world

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Redis runs redis-server on loopback, with nothing on disk.
type Redis struct {
	URL string

	ctx      context.Context // which ends it
	address  string
	password string
	command  *exec.Cmd
}

// StartRedis starts one on a free port.
func StartRedis(ctx context.Context, password string) (*Redis, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	r := &Redis{ctx: ctx, URL: fmt.Sprintf("redis://rostering:%s@%s", password, address), address: address, password: password}
	return r, r.Start()
}

// Start starts it, empty. The user may do only what the pages of the libraries recommend.
func (r *Redis) Start() error {
	_, port, _ := net.SplitHostPort(r.address)
	r.command = exec.CommandContext(r.ctx, "redis-server", "-")
	r.command.Stdin = strings.NewReader(strings.Join([]string{
		"bind 127.0.0.1", "port " + port, `save ""`, "appendonly no", "user default off",
		"user rostering on >" + r.password + " ~rostering:* -@all +get +set", "user admin on >" + r.password + " +@all",
	}, "\n"))
	if err := r.command.Start(); err != nil {
		return err
	}
	var err error
	for end := time.Now().Add(Patience / 8); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = r.Limit(0); err == nil {
			return nil
		}
	}
	r.End()
	return fmt.Errorf("redis-server does not respond: %w", err)
}

// Limit sets how many bytes it may use: 0 means any number.
func (r *Redis) Limit(most int) error {
	ctx, cancel := context.WithTimeout(r.ctx, Patience/8)
	defer cancel()
	admin := fmt.Sprintf("redis://admin:%s@%s", r.password, r.address)
	out, err := exec.CommandContext(ctx, "redis-cli", "-u", admin, "CONFIG", "SET", "maxmemory", fmt.Sprint(most)).CombinedOutput()
	if err != nil || !strings.HasSuffix(string(out), "OK\n") {
		return fmt.Errorf("CONFIG SET: %s, %w", out, err)
	}
	return nil
}

// Signal sends a signal to it.
func (r *Redis) Signal(s os.Signal) error { return r.command.Process.Signal(s) }

// End kills it. Ending it again does nothing.
func (r *Redis) End() {
	_ = r.command.Process.Kill()
	_ = r.command.Wait()
}
