package protocol

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test binary is also the host: this variable says how it behaves.
const behaviour = "PROTOCOL_TEST_HOST"

func TestMain(m *testing.M) {
	switch os.Getenv(behaviour) {
	case "responds in order":
		for r := range requests() {
			fmt.Printf(`{"id":%d,"error":"to %s"}`+"\n", r.ID, r.Export)
		}
		os.Exit(0)
	case "responds in reverse":
		reverse()
		os.Exit(0)
	case "responds to another":
		for r := range requests() {
			fmt.Printf(`{"id":%d}`+"\n", r.ID+7)
		}
		os.Exit(1)
	case "responds to nobody":
		for range requests() {
			fmt.Println(`{"error":"to whom?"}`)
		}
		os.Exit(1)
	case "dies":
		os.Exit(3)
	case "hangs":
		time.Sleep(time.Minute)
	case "prints noise":
		fmt.Println("npm notice: a new version is there")
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

func requests() <-chan Request {
	all := make(chan Request)
	go func() {
		defer close(all)
		lines := bufio.NewScanner(os.Stdin)
		for lines.Scan() {
			var r Request
			if json.Unmarshal(lines.Bytes(), &r) != nil {
				os.Exit(4)
			}
			all <- r
		}
	}()
	return all
}

// reverse responds to the requests in reverse order once it has to close.
func reverse() {
	var held []Request
	for r := range requests() {
		held = append(held, r)
		if r.Op == "close" {
			for i := len(held) - 1; i >= 0; i-- {
				fmt.Printf(`{"id":%d,"error":"to %s"}`+"\n", held[i].ID, held[i].Export)
			}
			held = nil
		}
	}
}

func start(t *testing.T, host string) *Process {
	t.Helper()
	t.Setenv(behaviour, host)
	p, err := Start(t.Context(), ".", nil, os.Stderr, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	p.Grace = 10 * time.Second
	return p
}

func TestMisbehavingHost(t *testing.T) {
	for host, want := range map[string]string{
		"dies":                "the host",
		"hangs":               "did not respond",
		"prints noise":        "npm notice",
		"responds to another": "not pending",
		"responds to nobody":  "not pending",
	} {
		t.Run(host, func(t *testing.T) {
			p := start(t, host)
			if host == "hangs" || host == "prints noise" {
				p.Grace = time.Millisecond // it never ends by itself
			}
			if host == "hangs" {
				p.Bound = 100 * time.Millisecond
			}
			if _, err := p.Do(Request{Op: "call"}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, without %q", err, want)
			}
			if _, err := p.Do(Request{Op: "call"}); err == nil {
				t.Error("the next request gets a response")
			}
			if err := p.Close(); err == nil {
				t.Error("Close finds nothing wrong")
			}
		})
	}
}

func TestResponsesInAnyOrder(t *testing.T) {
	for _, host := range []string{"responds in reverse", "responds in order"} {
		t.Run(host, func(t *testing.T) {
			p := start(t, host)
			var pending []*Pending
			for i := range 50 {
				one, err := p.Send(Request{Op: "call", Export: fmt.Sprint("export ", i)})
				if err != nil {
					t.Fatal(err)
				}
				pending = append(pending, one)
			}
			if _, err := p.Do(Request{Op: "close", Export: "close"}); err != nil {
				t.Fatal(err)
			}
			for i, one := range pending {
				if a, err := one.Response(); err != nil || a.Error != fmt.Sprint("to export ", i) {
					t.Errorf("request %d got %+v, %v", i, a, err)
				}
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestManyGoroutinesAtOnce(t *testing.T) {
	p := start(t, "responds in order")
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			name := fmt.Sprint("export ", i)
			if a, err := p.Do(Request{Op: "call", Export: name}); err != nil || a.Error != "to "+name {
				t.Errorf("%s got %+v, %v", name, a, err)
			}
		})
	}
	all.Wait()
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// A host that reads nothing must not block who sends.
func TestLargeRequestToHostThatReadsNothing(t *testing.T) {
	p := start(t, "hangs")
	p.Bound, p.Grace = 100*time.Millisecond, time.Millisecond
	if _, err := p.Do(Request{Op: "call", Input: make([]byte, 1<<20)}); err == nil {
		t.Error("it gets a response")
	}
	if err := p.Close(); err == nil {
		t.Error("Close finds nothing wrong")
	}
}
