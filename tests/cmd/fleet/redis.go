package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"time"
)

// checkRedis says how to get Redis if it is missing.
func checkRedis() error {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return errors.New("redis-server is missing: apt-get install redis-server")
	}
	return nil
}

// redisUser may do only what a fleet does. The READMEs of the examples quote it.
const redisUser = "~rostering:* -@all +get +set"

// redisServer is a Redis on loopback that keeps nothing on disk.
type redisServer struct {
	url      string
	address  string
	password string // of the user that may do all, too
	command  *exec.Cmd
	ended    chan struct{}
}

// startRedis starts one. A port that was free may be taken before Redis has it, so it
// tries again.
func startRedis(ctx context.Context, secret string) (*redisServer, error) {
	var errs []error
	for range 3 {
		r, err := tryRedis(ctx, secret)
		if err == nil {
			return r, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

func tryRedis(ctx context.Context, secret string) (*redisServer, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	r := &redisServer{url: fmt.Sprintf("redis://rostering:%s@%s", secret, address), address: address, password: secret}
	return r, r.start(ctx)
}

func (r *redisServer) start(ctx context.Context) error {
	_, port, _ := net.SplitHostPort(r.address)
	r.command, r.ended = exec.CommandContext(ctx, "redis-server", "-"), make(chan struct{})
	config := []string{
		"bind 127.0.0.1", "port " + port, `save ""`, "appendonly no", "user default off",
		"user rostering on >" + r.password + " " + redisUser, "user admin on >" + r.password + " +@all",
	}
	r.command.Stdin = strings.NewReader(strings.Join(config, "\n"))
	if err := r.command.Start(); err != nil {
		return err
	}
	command, ended := r.command, r.ended
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	if err := r.ready(ctx, r.address); err != nil {
		r.end()
		return err
	}
	return nil
}

// restart has it begin anew, empty.
func (r *redisServer) restart(ctx context.Context) error {
	r.end()
	return r.start(ctx)
}

// limit has it take nothing more, or anything again.
func (r *redisServer) limit(full bool) error {
	most := 0
	if full {
		most = 1
	}
	c, err := net.DialTimeout("tcp", r.address, time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := fmt.Fprintf(c, "AUTH admin %s\r\nCONFIG SET maxmemory %d\r\n", r.password, most); err != nil {
		return err
	}
	reply := make([]byte, len("+OK\r\n+OK\r\n"))
	if _, err := io.ReadFull(c, reply); err != nil || string(reply) != "+OK\r\n+OK\r\n" {
		return fmt.Errorf("CONFIG SET: %q, %w", reply, err)
	}
	return nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// ready waits until Redis responds, if only that it requires a password.
func (r *redisServer) ready(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for !ping(address) {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-r.ended:
			return errors.New("redis-server ended at once")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func ping(address string) bool {
	c, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return false
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := io.WriteString(c, "PING\r\n"); err != nil {
		return false
	}
	var reply [7]byte
	_, err = io.ReadFull(c, reply[:])
	return err == nil && string(reply[:]) == "-NOAUTH"
}

// end ends it at once. Ending it again does nothing.
func (r *redisServer) end() {
	_ = r.command.Process.Kill()
	<-r.ended
}
