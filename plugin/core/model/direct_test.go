package model_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/call"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/memory"
	"automatic-rostering/plugin/core/message"
)

var without = flag.String("without", "", "numbers of actions that TestDirectTape omits, with commas between them")

// TestDirectTape writes each direct call in random sequences to file descriptor 3, with the
// responses and what the core made of them, for tests/cmd/soak. A sequence begins with its
// seed. The actions do not depend on each other, so that soak can omit some to shrink a
// sequence.
func TestDirectTape(t *testing.T) {
	if !*tape {
		t.Skip("make soak")
	}
	var omitted []int
	for _, n := range strings.FieldsFunc(*without, func(c rune) bool { return c == ',' }) {
		number, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		omitted = append(omitted, number)
	}
	out := bufio.NewWriter(os.NewFile(3, "tape"))
	lines := json.NewEncoder(out)
	for s, made := *seed, 0; made < *steps; s++ {
		fmt.Fprintf(out, "%d\n", s)
		made += runDirect(t, s, omitted, func(c *directCall) {
			if err := lines.Encode(c); err != nil {
				t.Fatal(err)
			}
		})
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestDirect holds direct calls in random sequences to the rules on requests.
func TestDirect(t *testing.T) {
	kinds := map[string]int{}
	for s, made := *seed, 0; made < 5_000; s++ {
		made += runDirect(t, s, nil, func(c *directCall) {
			var e struct{ Code string }
			_ = json.Unmarshal([]byte(c.Error), &e)
			switch {
			case c.Lost:
				kinds["lost"]++
			default:
				kinds[cmp.Or(e.Code, c.Export)]++
			}
		})
	}
	for _, kind := range []string{
		"lost", "list_jobs", "get_token", "send_request", "set_token", "clear_token", "check", "version", "invalid_input", "config_missing",
		"config_invalid", "clock_unusable", "token_endpoint_rejected", "token_endpoint_unavailable", "token_response_invalid",
		"token_mismatch", "service_unauthorized", "service_error", "network_error",
	} {
		if kinds[kind] < 20 {
			t.Errorf("only %d calls end with %s", kinds[kind], kind)
		}
	}
}

// directCall is a direct call, or another export that sends nothing, as the core took it.
type directCall struct {
	Action    int               `json:"action"`
	Config    map[string]string `json:"config"`
	WASI      bool              `json:"wasi"` // the host has a clock, which reads Clock
	Clock     int64             `json:"clock"`
	Room      int               `json:"room"` // for vars, in bytes; 0 without a limit
	Export    string            `json:"export"`
	Input     string            `json:"input"`
	Exchanges []exchange        `json:"exchanges"`
	Output    []byte            `json:"output"`
	Error     string            `json:"error"`
	Lost      bool              `json:"lost"` // it ended in a trap
	Logs      []string          `json:"logs"`
	Tokens    []string          `json:"tokens"` // of the call
	Vars      map[string]uint32 `json:"vars"`   // a checksum of each
}

// exchange is a request and its response.
type exchange struct {
	Request  string `json:"request"` // as http_request takes it
	Body     string `json:"body"`
	Status   int    `json:"status"`
	Response []byte `json:"response"`
	Lost     bool   `json:"lost"`  // no response: a trap
	Clock    int64  `json:"clock"` // what the host's clock reads afterwards, if it has one
}

// direct is an instance with its surroundings.
type direct struct {
	*memory.Host
	*rand.Rand   // of the action at hand
	t            *testing.T
	seed         uint64
	client       string // that of the config
	wasi         bool
	room, faults int // faults are a percentage of the responses
	time, offset int64
	refuses      bool
	stale        bool              // the config was changed, and clear_token not called
	tokens       []string          // all that there are
	owners       map[string]string // the client of each
	revoked      map[string]bool
	used         []string // the tokens of the call at hand
	logs         []string
}

const directActions = 60

// lostCall is what a host panics with where a real one ends the call.
type lostCall struct{}

// runDirect runs the sequence of a seed, and returns how many calls it had.
func runDirect(t *testing.T, seed uint64, omitted []int, made func(*directCall)) (calls int) {
	r := rand.New(rand.NewPCG(seed, 0))
	w := &direct{Host: memory.New(nil), t: t, seed: seed, wasi: r.IntN(2) == 0, faults: []int{0, 10, 40}[r.IntN(3)],
		owners: map[string]string{}, revoked: map[string]bool{}}
	if r.IntN(8) == 0 {
		w.room = 400 + r.IntN(6000)
	}
	w.Logged = func(level call.Level, line string) {
		w.logs = append(w.logs, map[call.Level]string{call.Debug: "debug ", call.Warn: "warn "}[level]+line)
	}
	w.Keeps = func(name string, value []byte) bool {
		if w.room > 0 && len(value) > 0 && w.SizeWith(name, value) > w.room {
			panic(lostCall{})
		}
		return true
	}
	w.configure("client-a")
	w.stale = false
	for n := range directActions {
		if slices.Contains(omitted, n) {
			continue
		}
		w.Rand = rand.New(rand.NewPCG(seed, uint64(n)+1))
		export, in := w.act()
		if export == "" {
			continue
		}
		c := &directCall{Action: n, Config: w.Settings, WASI: w.wasi, Room: w.room, Export: export, Input: in}
		if w.wasi {
			c.Clock = w.now()
		}
		w.Clock = c.Clock
		w.make(c)
		calls++
		made(c)
	}
	return calls
}

func (w *direct) now() int64 { return 1_800_000_000 + w.time + w.offset }

func (w *direct) configure(client string) {
	w.client, w.stale = client, true
	w.Settings = map[string]string{
		"environment": "stage", "auth_url": "https://auth.example/" + client, "base_url": "https://" + client + ".example",
		"client_id": client, "client_secret": "SECRET pass+w\u00f6rt%&\"of=" + client, "customer_id": "customer", "user_id": "user",
	}
	switch w.IntN2(6) {
	case 0:
		w.Settings["refresh_margin"] = "600"
	case 1:
		w.Settings["client_secret"] = "pw-7"
	case 2:
		delete(w.Settings, "user_id")
	}
}

// IntN2 is IntN, and 1 less than n before the first action.
func (w *direct) IntN2(n int) int {
	if w.Rand == nil {
		return n - 1
	}
	return w.IntN(n)
}

// make makes a call, and holds it to the rules on requests.
func (w *direct) make(c *directCall) {
	w.logs = nil
	defer func() {
		if r := recover(); r == (lostCall{}) {
			c.Lost = true
		} else if r != nil {
			panic(r)
		}
		c.Logs, c.Tokens, c.Vars = w.logs, w.used, map[string]uint32{}
		for name, value := range w.Vars {
			c.Vars[name] = crc32.ChecksumIEEE(value)
		}
	}()
	alone := map[string]func(call.Host, []byte) *call.Step{
		"set_token": call.SetToken, "clear_token": call.ClearToken, "check": call.Check, "version": call.Version,
	}
	if export := alone[c.Export]; export != nil {
		w.end(c, export(w, []byte(c.Input)), nil)
		return
	}
	name, _ := input.ExportNamed(c.Export)
	made := call.New(w, name)
	step := made.Begin([]byte(c.Input))
	var body []byte
	for step.Kind == call.Send || step.Kind == call.SendHeld {
		e := exchange{Request: string(w.Held)}
		if step.Kind == call.Send {
			e.Request, e.Body = string(step.Request.AppendJSON(nil)), step.Request.Body
		}
		w.respond(&e)
		if clock := w.passTime(); c.WASI {
			e.Clock, w.Clock = clock, clock
		}
		c.Exchanges = append(c.Exchanges, e)
		w.check(c, &e)
		if e.Lost {
			panic(lostCall{})
		}
		body = e.Response
		step = made.Resume(&message.Response{Status: e.Status, Size: len(body), Load: func(most int) []byte {
			return slices.Clone(body[:min(most, len(body))])
		}})
	}
	w.end(c, step, body)
}

func (w *direct) end(c *directCall, step *call.Step, body []byte) {
	switch step.Kind {
	case call.Give:
		c.Output = slices.Clone(step.Output)
	case call.GiveHeld:
		c.Output = slices.Clone(w.Held)
	case call.GiveResponse:
		c.Output = body
	default:
		c.Error = string(step.Output)
	}
	w.checkToken(c)
}
