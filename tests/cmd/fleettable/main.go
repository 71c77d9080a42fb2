// Command fleettable writes the results of the simulation of fleets into docs/fleet.md, and the chart next to it:
//
//	go run ./cmd/fleettable ../build/day.json ../docs/fleet.md
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"automatic-rostering/tests/report"
)

// fleet is a fleet of the simulation's report.
type fleet struct {
	Instances int
	Shared    bool
	Day       []came
}

// came is what came of ten minutes of the day, and of the quiet hours after them.
type came struct {
	Name                                                           string
	Calls, TokenRequests, StoreOperations, PeakStore, MostUnderWay int
	Errors                                                         int
	Slowest, Settled                                               float64
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fleettable:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: fleettable REPORT DOCUMENT")
	}
	b, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	var fleets []fleet
	if err := json.Unmarshal(b, &fleets); err != nil {
		return err
	}
	forms := map[string]string{"sizes": sizes(fleets), "faults": faults(fleets)}
	if err := report.Fill(args[1], "make simulate", forms); err != nil {
		return err
	}
	picture := filepath.Join(filepath.Dir(args[1]), "fleet.svg")
	return os.WriteFile(picture, []byte(chart(fleets).SVG()), 0o644)
}

// sum is a day as a whole.
func (f *fleet) sum() (all came) {
	for _, c := range f.Day {
		all.Calls += c.Calls
		all.TokenRequests += c.TokenRequests
		all.StoreOperations += c.StoreOperations
		all.Errors += c.Errors
		all.PeakStore = max(all.PeakStore, c.PeakStore)
		all.MostUnderWay = max(all.MostUnderWay, c.MostUnderWay)
		all.Slowest = max(all.Slowest, c.Slowest)
	}
	return all
}

func (f *fleet) quiet() came {
	for _, c := range f.Day {
		if c.Name == "nothing" {
			return c
		}
	}
	return came{}
}

func (f *fleet) how() string {
	if f.Shared {
		return "with a store"
	}
	return "without a store"
}

func sizes(fleets []fleet) string {
	var s strings.Builder
	s.WriteString("| instances | | token requests in a quiet hour | in the day | at once, at most | store operations, at most |\n")
	s.WriteString("| --- | --- | --- | --- | --- | --- |\n")
	for _, f := range fleets {
		day, store := f.sum(), "none"
		if f.Shared {
			store = number(day.PeakStore) + " a second"
		}
		fmt.Fprintf(&s, "| %s | %s | %s | %s | %s | %s |\n", number(f.Instances), f.how(), number(f.quiet().TokenRequests),
			number(day.TokenRequests), number(day.MostUnderWay), store)
	}
	return s.String()
}

// faults is the table of the fleets that share, fault by fault.
func faults(fleets []fleet) string {
	var shared []fleet
	for _, f := range fleets {
		if f.Shared && f.Instances > 10 {
			shared = append(shared, f)
		}
	}
	var s strings.Builder
	s.WriteString("| what happens in ten minutes |")
	for _, f := range shared {
		fmt.Fprintf(&s, " token requests of %s | calls that failed | longest wait |", number(f.Instances))
	}
	s.WriteString("\n| --- |" + strings.Repeat(" --- | --- | --- |", len(shared)) + "\n")
	for n := range shared[0].Day {
		fmt.Fprintf(&s, "| %s |", shared[0].Day[n].Name)
		for _, f := range shared {
			c := f.Day[n]
			fmt.Fprintf(&s, " %s%s | %s | %.1f s |", number(c.TokenRequests), atOnce(c.MostUnderWay), failed(c), c.Slowest)
		}
		s.WriteString("\n")
	}
	return s.String()
}

func atOnce(most int) string {
	if most < 2 {
		return ""
	}
	return fmt.Sprintf(", %s at once", number(most))
}

func failed(c came) string {
	if c.Errors == 0 {
		return "none"
	}
	return fmt.Sprintf("%s, the last %.0f s after the fault", number(c.Errors), max(0, c.Settled-600))
}

// number writes a number with a comma before each three digits.
func number(n int) string {
	text := strconv.Itoa(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func chart(fleets []fleet) *report.Chart {
	c := &report.Chart{Title: "Token requests in the day"}
	for _, f := range fleets {
		n := f.sum().TokenRequests
		c.Bars = append(c.Bars, report.Bar{
			Label: fmt.Sprintf("%s instances, %s", number(f.Instances), f.how()), Text: number(n), Value: float64(n), Second: f.Shared,
		})
	}
	return c
}
