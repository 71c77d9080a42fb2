// Package page tests the sandbox's page in a browser, with the Go library as the program that it shows.
package page

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	rostering "automatic-rostering.example/rostering/sdk/go"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/sandbox"
)

// rows are the lines of the timeline, the oldest first.
const rows = `Array.from(document.querySelectorAll('#timeline tr')).reverse().map((row) => row.innerText.trim().replace(/\s+/g, ' '))`

// The page shows the requests of a program, and its switches work by keyboard: "revoke"
// leads to one 401 and one new token.
func TestPage(t *testing.T) {
	hosts.Require(t, "page")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	ctx, closeBrowser := chromedp.NewContext(ctx)
	defer closeBrowser()
	s, err := sandbox.Start(ctx, sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, secret := s.Client(sandbox.Stage)
	var later time.Duration
	client, err := rostering.New(ctx, rostering.Config{
		Environment: rostering.Stage, AuthURL: s.AuthURL(), BaseURL: s.BaseURL(),
		ClientID: id, ClientSecret: rostering.NewSecret(secret), CustomerID: "customer", UserID: "user",
	}, rostering.WithClock(func() time.Time { return time.Now().Add(later) }))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	list := func() {
		if _, err := client.ListJobs(ctx); err != nil {
			t.Fatal(err)
		}
	}

	do(t, ctx, chromedp.Navigate(s.ControlURL()), chromedp.WaitVisible("#switches button"))
	list()
	first := shows(t, ctx, "identity provider: POST /connect/token 200", "service: GET /jobs 200")
	do(t, ctx, chromedp.Focus("#switches button"), chromedp.SendKeys("#switches button", "\r"))
	shows(t, ctx, first[0], first[1], "all tokens revoked")
	later = time.Minute // a token that is refused in its first seconds may be one of which the service does not know yet
	list()
	all := shows(t, ctx, first[0], first[1], "all tokens revoked",
		"service: GET /jobs 401", "identity provider: POST /connect/token 200", "service: GET /jobs 200")

	token := func(row string) string {
		return strings.Fields(row[strings.LastIndex(row, "token "):])[1]
	}
	if old, renewed := token(all[0]), token(all[4]); old == renewed || token(all[1]) != old || token(all[3]) != old || token(all[5]) != renewed {
		t.Errorf("the tokens do not fit: %q", all)
	}
	text := value(t, ctx, chromedp.OuterHTML("html"))
	access, err := client.GetToken(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, secret) || strings.Contains(text, access.AccessToken.Expose()) {
		t.Error("the page shows a secret")
	}
	if file := os.Getenv("SCREENSHOT"); file != "" {
		do(t, ctx, chromedp.EmulateViewport(1000, 620))
		picture := value(t, ctx, chromedp.CaptureScreenshot())
		if err := os.WriteFile(file, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func value[T any](t *testing.T, ctx context.Context, action chromedp.Action[T]) T {
	t.Helper()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// shows waits until the timeline has rows that hold these texts, and no others.
func shows(t *testing.T, ctx context.Context, texts ...string) (found []string) {
	t.Helper()
	for ; ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		found = value(t, ctx, chromedp.Evaluate[[]string](rows))
		if slices.EqualFunc(found, texts, strings.Contains) {
			return found
		}
	}
	t.Fatalf("the timeline shows %q, not %q", found, texts)
	return nil
}
