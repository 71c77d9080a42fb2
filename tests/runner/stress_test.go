package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Each library plays random cases for STRESS_SECONDS. In these, clients make many calls at the same time, while both servers and
// the store fail, tokens are revoked, callers leave, and clients are closed and opened again. Each call must end, with its own
// response or an error of the contract; after the faults all clients must recover, and in the end no file or thread may be left
// behind.
func TestStress(t *testing.T) {
	seconds, _ := strconv.Atoi(os.Getenv("STRESS_SECONDS"))
	hosts.EachLibrary(t, func(t *testing.T, h hosts.Host) {
		player := h.Start(t)
		play := func(rounds int) {
			raw, err := json.Marshal(object{"name": "random", "players": "libraries", "steps": randomSteps(h, rounds)})
			c, err2 := rule.Decode("stress", raw)
			w := world.New()
			defer w.Close()
			if err := errors.Join(err, err2, player.Case(w, &c)); err != nil {
				t.Fatalf("%v, in %s", err, raw)
			}
		}
		play(0)
		before := resources(player.Process.PID())
		for late := time.Now().Add(time.Duration(max(seconds, 2)) * time.Second); time.Now().Before(late); {
			play(5)
		}
		var now [2]int
		for late := time.Now().Add(2 * time.Minute); time.Now().Before(late); time.Sleep(100 * time.Millisecond) {
			// A pool keeps some.
			if now = resources(player.Process.PID()); now[0] <= before[0]+2*atOnce && now[1] <= before[1]+3*atOnce {
				return
			}
		}
		t.Errorf("files and threads are %v, and were %v", now, before)
	})
}

// resources are the numbers of open files and of threads of a process.
func resources(pid int) (all [2]int) {
	for i, kind := range []string{"fd", "task"} {
		names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/%s/*", pid, kind))
		all[i] = len(names)
	}
	return all
}

type object = map[string]any

// atOnce is how many calls a round has.
const atOnce = 24

var (
	faults = []any{
		503, object{"raw": ""}, object{"status": 429, "headers": object{"Retry-After": "1"}}, object{"raw": "", "every": 1},
		object{"raw": "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"},
	}
	ends = []string{
		"network_error", "service_error", "service_unauthorized", "token_endpoint_unavailable", "token_response_invalid",
		"token_endpoint_rejected", "canceled", "closed",
	}
	theirs = append(ends, "trap", "status") // of closing, and of the layer for a program's own requests
)

// some are so many of the faults at most.
func some(most int) []any {
	all := make([]any, rand.IntN(most+1))
	for i := range all {
		all[i] = faults[rand.IntN(len(faults))]
	}
	return all
}

// randomSteps are those of a case with so many rounds, after which all clients work.
func randomSteps(h hosts.Host, rounds int) (steps []any) {
	add := func(step object) { steps = append(steps, step) }
	var clients [4]string // two of which share a store
	open := func(place int) {
		clients[place] = fmt.Sprint("client ", len(steps))
		step := object{"open": clients[place]}
		if place >= 2 {
			step["store"] = "http " + clients[place]
		}
		add(step)
	}
	for place := range clients {
		open(place)
	}
	at := 0
	for range rounds {
		add(object{"servers": object{"auth": some(2), "service": some(8), "store": some(4)}})
		if rand.IntN(3) == 0 {
			add(object{"servers": object{"service": "revoke"}})
		}
		var last []any
		for n := range atOnce {
			place, name := rand.IntN(len(clients)), fmt.Sprint("/", len(steps))
			call := object{"client": clients[place], "at": at, "timeout": 0.01 + 2*rand.Float64(), "as": name}
			end := object{"end": name, "ends": ends}
			switch choice := rand.IntN(12); {
			case n == atOnce-1:
				call["do"], call["timeout"], end["ends"] = "close", 1, theirs
			case choice < 3:
				call["do"], end["got"] = "list_jobs", object{"path": "/jobs"}
			case choice < 7:
				call["do"], call["input"] = "send_request", object{"path": name, "method": "POST", "body": name}
				end["got"] = object{"path": name, "body": name}
			case choice < 8 && h.Name != "c": // whose library has no such layer
				call["do"], call["input"] = "own", object{"method": "GET", "url": "{{service}}" + name}
				end["ends"], end["got"] = theirs, object{"path": name}
			case choice < 11:
				call["do"], call["input"] = "get_token", object{"force": choice == 10}
			default:
				call["do"] = "clear_token"
			}
			add(call)
			if rand.IntN(5) == 0 && h.Name != "python-threads" { // which cannot
				add(object{"cancel": name})
			}
			if call["do"] == "close" {
				open(place)
			}
			last = append(last, end)
		}
		steps = append(steps, last...)
		at += rand.IntN(1000)
	}
	add(object{"servers": object{"auth": []any{}, "service": []any{}, "store": []any{}}})
	for _, client := range clients {
		add(object{"eventually": object{"do": "list_jobs", "client": client, "at": at + 100, "status": 200}})
		add(object{"do": "close", "client": client})
	}
	return steps
}
