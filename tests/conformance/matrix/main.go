// Matrix writes into a document, between two marks, a table of what go test -json says
// of the scenarios:
//
//	go test -count=1 -json -run Scenarios ./conformance | go run ./conformance/matrix ../docs/hosts.md
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "matrix: into which document?")
		os.Exit(2)
	}
	if err := replace(os.Args[1], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

// The marks between which the table stands.
const (
	begin = "<!-- matrix: written by make matrix -->\n"
	end   = "<!-- end of matrix -->"
)

func replace(document string, events io.Reader) error {
	b, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(b), begin)
	_, after, also := strings.Cut(rest, end)
	if !found || !also {
		return fmt.Errorf("%s does not have the marks %q and %q", document, begin, end)
	}
	var table strings.Builder
	if err := write(events, &table); err != nil {
		return err
	}
	return os.WriteFile(document, []byte(before+begin+"\n"+table.String()+"\n"+end+after), 0o644)
}

// event is a line of go test -json.
type event struct {
	Action, Test, Output string
}

// tally counts the scenarios of a group on a host.
type tally struct{ passed, deviating, failed int }

// table is a tally by host and group.
type table map[string]map[string]*tally

// deviates begins the log line of a scenario that a host is known not to do.
const deviates = "deviation: "

func write(in io.Reader, out io.Writer) error {
	t, reasons := table{}, map[string]map[string]bool{}
	deviating := map[string]bool{}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		host, group, ok := place(e.Test)
		if !ok {
			continue
		}
		if _, why, found := strings.Cut(e.Output, deviates); found {
			deviating[e.Test] = true
			if reasons[host] == nil {
				reasons[host] = map[string]bool{}
			}
			reasons[host][strings.TrimSpace(why)] = true
		}
		t.count(host, group, e, deviating[e.Test])
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return t.print(out, reasons)
}

// place finds host and group in a test's name: Test…/[language/]host/group/name.
func place(test string) (host, group string, ok bool) {
	parts := strings.Split(test, "/")
	switch {
	case len(parts) == 4 && parts[0] == "TestScenarios":
		return parts[1], parts[2], true
	case len(parts) == 5 && parts[0] == "TestScenariosInOtherLanguages":
		return parts[2], parts[3], true
	}
	return "", "", false
}

func (t table) count(host, group string, e event, deviates bool) {
	if e.Action != "pass" && e.Action != "fail" {
		return
	}
	if t[host] == nil {
		t[host] = map[string]*tally{}
	}
	if t[host][group] == nil {
		t[host][group] = &tally{}
	}
	switch n := t[host][group]; {
	case e.Action == "fail":
		n.failed++
	case deviates:
		n.deviating++
	default:
		n.passed++
	}
}

func (t table) print(out io.Writer, reasons map[string]map[string]bool) error {
	if len(t) == 0 {
		return fmt.Errorf("no scenario ran")
	}
	groups := map[string]bool{}
	for _, tallies := range t {
		for group := range tallies {
			groups[group] = true
		}
	}
	columns := slices.Sorted(maps.Keys(groups))
	fmt.Fprintf(out, "| host | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)+1))
	failed := 0
	for _, host := range slices.Sorted(maps.Keys(t)) {
		row := []string{host}
		for _, group := range columns {
			n := t[host][group]
			row = append(row, n.String())
			failed += n.failed
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
	}
	for _, host := range slices.Sorted(maps.Keys(reasons)) {
		for _, why := range slices.Sorted(maps.Keys(reasons[host])) {
			fmt.Fprintf(out, "\n- **%s**: %s", host, why)
		}
	}
	fmt.Fprintln(out)
	if failed > 0 {
		return fmt.Errorf("%d scenarios failed", failed)
	}
	return nil
}

func (n *tally) String() string {
	if n == nil {
		return ""
	}
	all := n.passed + n.deviating + n.failed
	if n.passed == all {
		return fmt.Sprint(all)
	}
	return fmt.Sprintf("%d of %d", n.passed, all)
}
