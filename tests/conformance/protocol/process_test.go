package protocol

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The test binary is also the host: what it does wrong stands in this variable.
const behaviour = "PROTOCOL_TEST_HOST"

func TestMain(m *testing.M) {
	switch os.Getenv(behaviour) {
	case "answers":
		var line string
		for {
			if _, err := fmt.Scanln(&line); err != nil {
				os.Exit(0)
			}
			fmt.Println(`{"error":"as it should"}`)
		}
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

func TestAHostThatMisbehavesIsAnError(t *testing.T) {
	for host, want := range map[string]string{
		"answers":      "",
		"dies":         "the host",
		"hangs":        "did not answer",
		"prints noise": "npm notice",
	} {
		t.Run(host, func(t *testing.T) {
			t.Setenv(behaviour, host)
			grace := 10 * time.Second
			if host == "hangs" || host == "prints noise" {
				grace = time.Millisecond // it never ends by itself
			}
			p, err := Start(t.Context(), ".", os.Args[0])
			if err != nil {
				t.Fatal(err)
			}
			p.Grace = grace
			if host == "hangs" {
				p.Bound = 100 * time.Millisecond
			}
			a, err := p.Do(Request{Op: "call"})
			switch {
			case want == "" && (err != nil || a.Error != "as it should"):
				t.Errorf("it gives %+v, %v", a, err)
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("the error is %v, without %q", err, want)
			}
			if err := p.Close(); (err != nil) != (host != "answers") {
				t.Errorf("Close gives %v", err)
			}
		})
	}
}
