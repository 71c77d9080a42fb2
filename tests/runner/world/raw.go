package world

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"automatic-rostering.example/rostering/tests/runner/rule"
)

// mostEndless bounds what is repeated until the client leaves.
const mostEndless = time.Minute

// writeRaw writes bytes that need not be HTTP, and closes the connection.
func (s *Server) writeRaw(w http.ResponseWriter, r *http.Request, body string, response *rule.Response) {
	c, in, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(mostEndless))
	asked, _ := url.QueryUnescape(body)
	text, endless, _ := strings.Cut(*response.Raw, "ENDLESS")
	_, _ = io.WriteString(c, strings.ReplaceAll(text, "REQUEST", asked+r.Header.Get("Authorization")))
	if endless != "" {
		repeat(c, endless, response.Every)
	} else if response.Every > 0 {
		_ = c.SetDeadline(time.Now().Add(time.Duration(response.Every * float64(time.Second))))
		s.serve(c, in.Reader)
	}
}

// serve responds to the next requests of a connection.
func (s *Server) serve(c net.Conn, in *bufio.Reader) {
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		recorder := httptest.NewRecorder()
		s.ServeHTTP(recorder, r)
		response := recorder.Result()
		response.ContentLength = int64(recorder.Body.Len())
		if response.Write(c) != nil {
			return
		}
	}
}

// repeat writes a text again and again until the client leaves, with a pause in between unless that is 0.
func repeat(c net.Conn, text string, seconds float64) {
	if seconds == 0 { // fast enough that only the client's limit ends it
		text = strings.Repeat(text, max(1, 64<<10/len(text)))
	}
	for {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		time.Sleep(time.Duration(seconds * float64(time.Second)))
	}
}
