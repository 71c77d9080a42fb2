package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
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
	ways := []struct{ name, how string }{
		{"x/oauth2 alone", "bare"}, {"the library", "none"}, {"the library, WithCacheDir", folder},
	}
	var runs []func() error
	for _, way := range ways {
		args := []string{"-first-jobs", way.how}
		runs = append(runs, func() error {
			command := exec.Command(program, args...)
			command.Env = append(os.Environ(), s.env()...)
			if output, err := command.CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, output)
			}
			return nil
		})
	}
	if err := runs[2](); err != nil { // fills the cache
		return err
	}
	all, err := race(30, 0, runs)
	if err != nil {
		return err
	}
	rows := [][]string{{"a process with one list_jobs", "least time", "median"}}
	chart := &report.Chart{Title: "A process from its start to the first jobs, in Go: ms, logarithmic"}
	for i, way := range ways {
		rows = append(rows, []string{way.name, milli(all[i].least()), milli(all[i].median())})
		chart.Bars = append(chart.Bars, report.Bar{Label: way.name, Text: milli(all[i].median()), Value: all[i].median() / 1e6, Second: i == 0})
	}
	d.table("cold", rows...)
	d.charts["cold"] = chart
	return nil
}
