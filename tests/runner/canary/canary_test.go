package canary_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/url"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/canary"
)

const secret = `s3cr3t/+ "with"=odd&characters%ü`

func TestFindsEveryForm(t *testing.T) {
	for name, text := range map[string]string{
		"unchanged":        "before " + secret + " after",
		"in a form":        "client_secret=" + url.QueryEscape(secret) + "&scope=a",
		"in JSON":          fmt.Sprintf("{%q:%q}", "client_secret", secret),
		"in Basic":         "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("client:"+secret)),
		"in URL's base64":  base64.URLEncoding.EncodeToString([]byte("12" + secret + "3")),
		"as hex":           fmt.Sprintf("%x", "a"+secret+"b"),
		"as upper hex":     fmt.Sprintf("%X", secret),
		"in HTML":          "<p>s3cr3t/+ &#34;with&#34;=odd&amp;characters%ü</p>",
		"as ISO-8859-1":    "X-Echo: s3cr3t/+ \"with\"=odd&characters%Ã¼",
		"escaped twice":    url.QueryEscape("u=" + url.QueryEscape(secret)),
		"in Go's notation": fmt.Sprintf("%#v", []string{secret}),
	} {
		w := canary.Watch{To: io.Discard, Secrets: []string{secret}}
		for n := range len(text) { // however it is cut
			fmt.Fprint(&w, text[n:n+1])
		}
		if w.Err() == nil {
			t.Errorf("%s: %s is not seen", name, text)
		}
	}
	w := canary.Watch{To: io.Discard, Secrets: []string{secret, "abc"}}
	fmt.Fprintln(&w, "s3cr3t abc")
	if err := w.Err(); err != nil {
		t.Error(err)
	}
}
