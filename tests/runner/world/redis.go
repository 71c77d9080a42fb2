package world

import (
	"context"
	"fmt"
	"io"
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
	c, err := net.DialTimeout("tcp", r.address, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(Patience / 8))
	if _, err := fmt.Fprintf(c, "AUTH admin %s\r\nCONFIG SET maxmemory %d\r\n", r.password, most); err != nil {
		return err
	}
	reply := make([]byte, len("+OK\r\n+OK\r\n"))
	if _, err := io.ReadFull(c, reply); err != nil || string(reply) != "+OK\r\n+OK\r\n" {
		return fmt.Errorf("CONFIG SET: %q, %w", reply, err)
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
