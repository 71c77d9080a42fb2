package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"automatic-rostering.example/rostering"

	"automatic-rostering/tests/report"
)

// firstJobs is a program that gets a token, lists the jobs once and ends: with x/oauth2 alone
// if how is bare, and else with the library, which keeps the compiled plugin in the folder how.
func firstJobs(ctx context.Context, how string) error {
	c, err := rostering.ConfigFromEnv()
	if err != nil {
		return err
	}
	if how == "bare" {
		return firstBare(ctx, c)
	}
	var options []rostering.Option
	if how != "none" {
		options = append(options, rostering.WithCacheDir(how))
	}
	client, err := rostering.New(ctx, c, options...)
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.ListJobs(ctx)
	return err
}

func firstBare(ctx context.Context, c rostering.Config) error {
	oauth := clientcredentials.Config{
		ClientID: c.ClientID, ClientSecret: string(c.ClientSecret), TokenURL: c.AuthURL + "/connect/token",
		Scopes: []string{"automatic-rostering-stage"},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.BaseURL+"/jobs", nil)
	if err != nil {
		return err
	}
	request.Header.Set("CUSTOMER_ID", c.CustomerID)
	request.Header.Set("USER_ID", c.UserID)
	response, err := oauth.Client(ctx).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	return err
}

// cold is a program that gets a token and lists the jobs once, and the same runtime without it.
type cold struct {
	name    string
	command []string
	input   string
	runtime []string // does nothing; empty for compiled programs
	cache   bool     // of compiled plugins: libextism's, which an empty EXTISM_CACHE_CONFIG disables
}

// colds are the programs of all languages. A Worker starts in a development tool here, which says nothing.
var colds = []cold{
	{name: "node", command: []string{"../host-example/node/run.sh", "jobs"}, runtime: []string{"node", "-e", "0"}},
	{name: "deno", command: []string{"../host-example/deno/run.sh", "jobs"}, runtime: []string{"../sdk/javascript/runtimes/deno/deno", "eval", "0"}},
	{name: "bun", command: []string{"../host-example/bun/run.sh", "jobs"}, runtime: []string{"../sdk/javascript/runtimes/bun/bun", "-e", "0"}},
	{name: "python", command: []string{"../host-example/python/run.sh", "jobs"}, runtime: []string{"../sdk/python/.venv/bin/python", "-c", ""}, cache: true},
	{name: "java", command: []string{"../host-example/java/run.sh", "jobs"}, runtime: []string{"java", "-version"}},
	// The programs of host-example are debug builds in Rust.
	{
		name: "rust", command: []string{"../sdk/rust/target/release/examples/bench"},
		input: `{"who":"library","calls":1,"at_once":1,"pause_ms":0}`, cache: true,
	},
	{name: "c", command: []string{"../host-example/c/run.sh", "jobs"}, cache: true},
}

// way is a command whose time from its start to its end is measured.
type way struct {
	name, input string
	command     []string
	env         []string
}

func (w way) run() error {
	command := exec.Command(w.command[0], w.command[1:]...)
	command.Env = append(os.Environ(), w.env...)
	command.Stdin = strings.NewReader(w.input)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %.500s", w.name, err, output)
	}
	return nil
}

// cold measures programs from their start to their end.
func (d *document) cold(context.Context) error {
	s, err := serve(&server{lifetime: time.Hour})
	if err != nil {
		return err
	}
	defer s.close()
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program, err := os.Executable()
	if err != nil {
		return err
	}
	ways := []way{
		{name: "go, x/oauth2 alone", command: []string{program, "-first-jobs", "bare"}},
		{name: "go", command: []string{program, "-first-jobs", "none"}},
		{name: "go, WithCacheDir", command: []string{program, "-first-jobs", folder}},
	}
	for _, c := range colds {
		if _, err := os.Stat(c.command[0]); err != nil {
			continue
		}
		if len(c.runtime) > 0 {
			ways = append(ways, way{name: c.name + ", the runtime alone", command: c.runtime})
		}
		if c.cache {
			ways = append(ways, way{name: c.name + ", without a cache", input: c.input, command: c.command, env: []string{"EXTISM_CACHE_CONFIG="}})
			c.name += ", with libextism's cache"
		}
		ways = append(ways, way{name: c.name, input: c.input, command: c.command})
	}
	var runs []func() error
	for i := range ways {
		ways[i].env = append(ways[i].env, s.env()...)
		if err := ways[i].run(); err != nil { // fills the caches
			return err
		}
		runs = append(runs, ways[i].run)
	}
	all, err := race(20, 0, runs)
	if err != nil {
		return err
	}
	rows := [][]string{{"a process with one list_jobs", "least time", "median", "next to x/oauth2"}}
	chart := &report.Chart{Title: "A process from its start to the first jobs: ms, logarithmic"}
	for i, way := range ways {
		rows = append(rows, []string{way.name, milli(all[i].least()), milli(all[i].median()), two(all[i].beside(all[0]).median)})
		chart.Bars = append(chart.Bars, report.Bar{
			Label: way.name, Text: milli(all[i].median()), Value: all[i].median() / 1e6,
			Second: i == 0 || strings.HasSuffix(way.name, "alone"),
		})
	}
	d.table("cold", rows...)
	d.charts["cold"] = chart
	return nil
}
