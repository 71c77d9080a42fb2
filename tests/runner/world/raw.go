package world

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"time"

	"automatic-rostering/tests/runner/rule"
)

// mostEndless bounds what is repeated until the client leaves.
const mostEndless = time.Minute

// writeRaw writes bytes that need not be HTTP, and closes the connection, or serves its next requests.
func (s *Server) writeRaw(w http.ResponseWriter, r *http.Request, body string, response *rule.Response) {
	c, in, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(mostEndless))
	asked, _ := url.QueryUnescape(body)
	text := strings.ReplaceAll(*response.Raw, "REQUEST", asked+r.Header.Get("Authorization"))
	var content []byte
	if response.Zeros > 0 {
		content = zeros(response.Zeros, response.Zipped)
		text = strings.ReplaceAll(text, "LENGTH", fmt.Sprint(len(content)))
	}
	_, _ = io.WriteString(c, text)
	_, _ = c.Write(content)
	switch {
	case response.Keep:
		s.serve(c, in.Reader)
	case response.Endless != "":
		repeat(c, response.Endless, response.Every)
	case response.Every > 0:
		_ = c.SetDeadline(time.Now().Add(time.Duration(response.Every * float64(time.Second))))
		_, _ = io.Copy(io.Discard, c)
	}
}

// serve responds to the requests of a connection.
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

var made sync.Map // what zeros returned, since it takes a while

// zeros are so many MiB of zeros, compressed so many times.
func zeros(mib, times int) []byte {
	key := [2]int{mib, times}
	if known, ok := made.Load(key); ok {
		return known.([]byte)
	}
	piece, pieces := make([]byte, 1<<20), mib
	if times > 1 {
		piece, pieces = zeros(mib, times-1), 1
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // a known level
	for range pieces {
		_, _ = z.Write(piece)
	}
	_ = z.Close()
	made.Store(key, b.Bytes())
	return b.Bytes()
}
