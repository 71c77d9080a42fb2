package docs

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/model"
	"automatic-rostering.example/rostering/tests/picture"
	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// The run that is drawn: the seconds of its events, and what the simulator has to know.
const (
	seconds           = 270
	revoked           = 20
	margin            = "30"
	downFrom, downTo  = 120, 240
	left, perSecond   = 150., 2.5 // where a second is in the picture
	callsTop, callsUp = 50., 100.
)

// turn is one of an instance with the lock: from its token request until it writes the result.
type turn struct {
	instance  int
	from, end float64
	failed    bool
}

// TestFleetPicture draws a run of the simulator: go test ./docs -update writes docs/fleet.svg.
func TestFleetPicture(t *testing.T) {
	var calls, failed [seconds + 1]int // so far
	var turns []turn
	f := model.Fleet{Instances: 50, Every: 2, Skew: 1, Lifetime: 120, Seed: 1, Endpoint: 2, Store: .03, Service: .02}
	f.Configure = func(_ int, config map[string]string) { config["refresh_margin"] = margin }
	f.At = map[float64]func(*model.Fleet){}
	for second := range seconds + 1 {
		f.At[float64(second)] = func(f *model.Fleet) {
			calls[second], failed[second] = f.Calls, f.Errors
			if second == revoked {
				f.Revoke()
			}
		}
	}
	f.Responds = func(instance int, at float64) (r model.Response) {
		down := at >= downFrom && at < downTo
		if down {
			r.Status = 503
		}
		turns = append(turns, turn{instance: instance, from: at, failed: down})
		return r
	}
	f.StoreLoses = func(string) bool {
		if last := &turns[len(turns)-1]; last.end == 0 {
			last.end = f.Now()
		}
		return false
	}
	f.Run(seconds)
	drawn := drawFleet(calls[:], failed[:], turns)
	path := filepath.Join(hosts.Root(), "docs/fleet.svg")
	if *update {
		if err := os.WriteFile(path, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if drawn != read(t, "docs/fleet.svg") {
		t.Error("docs/fleet.svg is of another run: go test ./docs -update")
	}
}

func drawFleet(calls, failed []int, turns []turn) string {
	p := picture.New("50 instances with one store over four and a half minutes, with tokens of two minutes", 850, 300)
	x := func(second float64) float64 { return left + perSecond*second }
	p.Bar("down", x(downFrom), 36, x(downTo)-x(downFrom), 230)
	p.Text("middle", x((downFrom+downTo)/2), 48, "the identity provider responds with 503")
	p.Bar("event", x(revoked), 36, 1.5, 230)
	p.Text("", x(revoked)+5, 48, "the token is revoked")
	for second := 0; second <= seconds; second += 30 {
		p.Bar("grid", x(float64(second)), 36, 1, 230)
		p.Text("middle", x(float64(second)), 284, fmt.Sprint(second, " s"))
	}
	most := 1
	for second := 1; second < len(calls); second++ {
		most = max(most, calls[second]-calls[second-1], failed[second]-failed[second-1])
	}
	bottom, scale := callsTop+callsUp, (callsUp-10)/float64(most)
	for second := 1; second < len(calls); second++ {
		lost := failed[second] - failed[second-1]
		won := max(0, calls[second]-calls[second-1]-lost)
		at := x(float64(second - 1))
		p.Bar("ours", at, bottom-scale*float64(won), perSecond-.6, scale*float64(won))
		if lost > 0 {
			p.Bar("failed", at, bottom-scale*float64(won+lost), perSecond-.6, scale*float64(lost))
		}
	}
	p.Text("end", left-12, bottom-callsUp/2, "calls per second")
	p.Text("end", left-12, bottom-callsUp/2+16, "red: failed")
	for n, turn := range turns {
		class := "ours"
		if turn.failed {
			class = "failed"
		}
		p.Bar(class, x(turn.from), 170, max(2, perSecond*(turn.end-turn.from)), 22)
		p.Bar("peer", x(turn.from), 210, max(2, perSecond*(turn.end-turn.from)), 22)
		p.Text("middle", x((turn.from+turn.end)/2), 246+13*float64(n%2), fmt.Sprint(turn.instance))
	}
	p.Text("end", left-12, 186, "token requests")
	p.Text("end", left-12, 226, "the lock,")
	p.Text("end", left-12, 242, "and who has it")
	return p.String()
}

// Pictures are well-formed, and load at once.
func TestPictures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(hosts.Root(), "docs/*.svg"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text := read(t, strings.TrimPrefix(file, hosts.Root()))
		if len(text) > 40<<10 {
			t.Errorf("%s has %d bytes", file, len(text))
		}
		for d := xml.NewDecoder(strings.NewReader(text)); err == nil; {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", file, err)
		}
		err = nil
	}
}
