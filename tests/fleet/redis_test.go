package fleet

import (
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"automatic-rostering/tests/conformance/hosts"
)

func requireRedis(t *testing.T) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		hosts.Skip(t, "redis-server is missing: apt-get install redis-server")
	}
}

// redisServer is a Redis server on loopback that keeps nothing on disk.
type redisServer struct {
	url      string
	address  string
	password string
	command  *exec.Cmd
}

// startRedis starts one on a free port.
func startRedis(ctx context.Context, password string) *redisServer {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	address := l.Addr().String()
	must(l.Close())
	r := &redisServer{url: fmt.Sprintf("redis://rostering:%s@%s", password, address), address: address, password: password}
	must(r.start(ctx))
	return r
}

// start starts it, empty. The fleet's user may do only what the pages of the libraries recommend.
func (r *redisServer) start(ctx context.Context) error {
	_, port, _ := net.SplitHostPort(r.address)
	r.command = exec.CommandContext(ctx, "redis-server", "-")
	r.command.Stdin = strings.NewReader(strings.Join([]string{
		"bind 127.0.0.1", "port " + port, `save ""`, "appendonly no", "user default off",
		"user rostering on >" + r.password + " ~rostering:* -@all +get +set", "user admin on >" + r.password + " +@all",
	}, "\n"))
	if err := r.command.Start(); err != nil {
		return err
	}
	var err error
	for end := time.Now().Add(patience / 4); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = r.limit(0); err == nil {
			return nil
		}
	}
	r.end()
	return fmt.Errorf("redis-server does not respond: %w", err)
}

// limit sets how many bytes it may use: 0 means any number.
func (r *redisServer) limit(most int) error {
	c, err := net.DialTimeout("tcp", r.address, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(patience / 4))
	if _, err := fmt.Fprintf(c, "AUTH admin %s\r\nCONFIG SET maxmemory %d\r\n", r.password, most); err != nil {
		return err
	}
	reply := make([]byte, len("+OK\r\n+OK\r\n"))
	if _, err := io.ReadFull(c, reply); err != nil || string(reply) != "+OK\r\n+OK\r\n" {
		return fmt.Errorf("CONFIG SET: %q, %w", reply, err)
	}
	return nil
}

// end kills it. Ending it again does nothing.
func (r *redisServer) end() {
	_ = r.command.Process.Kill()
	_ = r.command.Wait()
}
