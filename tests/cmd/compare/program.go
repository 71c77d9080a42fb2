package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"automatic-rostering.example/sandbox"
)

// patience bounds what a client does with one line of its input.
const patience = time.Minute

// program is a running client: it reads {"calls": n} per line, makes n concurrent calls, and prints
// {"errors": […]}.
type program struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	cancel  context.CancelFunc
}

func start(ctx context.Context, folder string, s *sandbox.Sandbox, c client) (*program, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	p := &program{command: exec.CommandContext(ctx, c.command[0], c.command[1:]...), cancel: cancel}
	p.command.Dir, p.command.Stderr, p.command.WaitDelay = folder, os.Stderr, time.Second
	p.command.Env = append(os.Environ(), "AUTHLIB_INSECURE_TRANSPORT=1", "NODE_NO_WARNINGS=1")
	for name, value := range s.Env(sandbox.Stage) {
		p.command.Env = append(p.command.Env, name+"="+value)
	}
	p.command.Env = append(p.command.Env, c.config...)
	var err error
	if p.stdin, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdout = bufio.NewReader(stdout)
	return p, p.command.Start()
}

// call makes so many concurrent calls and returns the errors of those that failed.
func (p *program) call(calls int) []string {
	if _, err := fmt.Fprintf(p.stdin, "{\"calls\":%d}\n", calls); err != nil {
		panic(err)
	}
	line, err := p.stdout.ReadBytes('\n')
	if err != nil {
		panic(fmt.Errorf("the client has ended: %w", err))
	}
	var result struct{ Errors []string }
	if err := json.Unmarshal(line, &result); err != nil {
		panic(err)
	}
	return result.Errors
}

func (p *program) end() {
	p.stdin.Close()
	_ = p.command.Wait()
	p.cancel()
}

// serveOAuth2 is the client with golang.org/x/oauth2.
func serveOAuth2() {
	config := clientcredentials.Config{
		ClientID: os.Getenv("ROSTERING_CLIENT_ID"), ClientSecret: os.Getenv("ROSTERING_CLIENT_SECRET"),
		TokenURL: os.Getenv("ROSTERING_AUTH_URL") + "/connect/token", Scopes: []string{"automatic-rostering-stage"},
		AuthStyle: oauth2.AuthStyleInParams,
	}
	http := config.Client(context.Background())
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var command struct{ Calls int }
		if err := json.Unmarshal(input.Bytes(), &command); err != nil {
			panic(err)
		}
		ends := make([]error, command.Calls)
		var all sync.WaitGroup
		for i := range ends {
			all.Go(func() { ends[i] = listJobs(http) })
		}
		all.Wait()
		errors := []string{}
		for _, err := range ends {
			if err != nil {
				errors = append(errors, err.Error())
			}
		}
		_ = json.NewEncoder(os.Stdout).Encode(map[string][]string{"errors": errors})
	}
}

func listJobs(c *http.Client) error {
	request, err := http.NewRequest(http.MethodGet, os.Getenv("ROSTERING_BASE_URL")+"/jobs", nil)
	if err != nil {
		return err
	}
	request.Header.Set("CUSTOMER_ID", "c")
	request.Header.Set("USER_ID", "u")
	response, err := c.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d", response.StatusCode)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}
