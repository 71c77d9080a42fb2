// Package hostile tries libraries on servers that do what no server should: a call must end in
// time, with little memory and a clear error, and the next one must succeed.
package hostile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"
)

// Kind is something that a server does instead of a response.
type Kind struct {
	Name string
	do   func(c net.Conn, asked string) // asked is what the request contains
	// drips is set if only a timeout ends it, with some clients.
	drips bool
}

const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// text is a kind that writes a string and closes the connection.
func text(name, response string) Kind {
	return Kind{Name: name, do: func(c net.Conn, _ string) { _, _ = io.WriteString(c, response) }}
}

// mirror is a kind that writes what the request contains, each time that %s occurs.
func mirror(name, response string) Kind {
	return Kind{Name: name, do: func(c net.Conn, asked string) {
		_, _ = io.WriteString(c, strings.ReplaceAll(response, "%s", asked))
	}}
}

// repeat writes a string again and again until the client leaves.
func repeat(c net.Conn, text string, pause time.Duration) {
	for {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		time.Sleep(pause)
	}
}

// Kinds are all of them.
var Kinds = []Kind{
	{Name: "no response", do: func(c net.Conn, _ string) { _, _ = io.Copy(io.Discard, c) }, drips: true},
	text("closes the connection", ""),
	text("not HTTP", "* OK IMAP4rev1 ready\r\n"),
	{Name: "headers, a byte at a time", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok+"X-Slow: ")
		repeat(c, "x", 50*time.Millisecond)
	}, drips: true},
	{Name: "a body, a byte at a time", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok+"\r\n")
		repeat(c, " ", 50*time.Millisecond)
	}, drips: true},
	{Name: "an endless body", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok+"\r\n")
		repeat(c, strings.Repeat("[", 64<<10), 0)
	}},
	{Name: "an endless error", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		repeat(c, strings.Repeat("[", 64<<10), 0)
	}},
	{Name: "endless headers", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok)
		repeat(c, strings.Repeat("X-More: "+strings.Repeat("y", 1000)+"\r\n", 64), 5*time.Millisecond)
	}, drips: true},
	{Name: "endless informational responses", do: func(c net.Conn, _ string) {
		repeat(c, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 100), 0)
	}, drips: true},
	{Name: "half a gigabyte of zeros, compressed", do: func(c net.Conn, _ string) {
		_, _ = fmt.Fprintf(c, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", ok, len(bomb()))
		_, _ = c.Write(bomb())
	}},
	{Name: "the same, compressed twice", do: func(c net.Conn, _ string) {
		_, _ = fmt.Fprintf(c, "%sContent-Encoding: gzip, gzip\r\nContent-Length: %d\r\n\r\n", ok, len(bombs()))
		_, _ = c.Write(bombs())
	}},
	text("invalid gzip", ok+"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"),
	text("a body shorter than its length", ok+"Content-Length: 100\r\n\r\n{}"),
	text("a body longer than its length", ok+"Content-Length: 2\r\n\r\n{}{}{}"),
	text("two lengths", ok+"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
	text("a negative length", ok+"Content-Length: -1\r\n\r\n{}"),
	text("a length too large for an integer", ok+"Content-Length: 99999999999999999999\r\n\r\n{}"),
	text("an invalid chunk size", ok+"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
	text("a chunk size too large for an integer", ok+"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n"),
	text("chunks and a length", ok+"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n"),
	text("a header with a zero byte", ok+"X-Zero: a\x00b\r\nContent-Length: 2\r\n\r\n{}"),
	text("a header without a name", ok+": x\r\nContent-Length: 2\r\n\r\n{}"),
	text("a header's name with a space", ok+"X Space: x\r\nContent-Length: 2\r\n\r\n{}"),
	text("the status 099", "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\n{}"),
	text("the status 600", "HTTP/1.1 600 High\r\nContent-Length: 2\r\n\r\n{}"),
	text("the status 999", "HTTP/1.1 999 High\r\nContent-Length: 2\r\n\r\n{}"),
	text("the status 421", "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 2\r\n\r\n{}"),
	text("a seven-digit status", "HTTP/1.1 2000000 OK\r\nContent-Length: 2\r\n\r\n{}"),
	text("a 204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}"),
	text("256 KB of brackets", sized(strings.Repeat(`{"a":[`, 256<<10/6))),
	text("a number of 256 KB", sized(`{"access_token":"t","token_type":"Bearer","expires_in":`+strings.Repeat("9", 256<<10-100)+`}`)),
	text("a 256 KB error text that resembles the secret", "HTTP/1.1 400 Bad Request\r\n"+
		sized(`{"error":"invalid_client","error_description":"` + strings.Repeat("a", 256<<10) + `"}`)[len(ok):]),
	mirror("the request as the status line", "%s\r\n\r\n"),
	mirror("the request as a version", "HTTP/%s 200 OK\r\n\r\n"),
	mirror("the request as a status", "HTTP/1.1 %s\r\n\r\n"),
	mirror("the request as a reason", "HTTP/1.1 400 %s\r\nContent-Length: 0\r\n\r\n"),
	mirror("the request as a header", ok+"%s\r\n\r\n"),
	mirror("the request as a header's name", "HTTP/1.1 400 Bad Request\r\n%s: x\r\nContent-Length: 0\r\n\r\n"),
	mirror("the request as a header's value", "HTTP/1.1 400 Bad Request\r\nX-Echo: %s\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n"),
	mirror("the request as a length", ok+"Content-Length: %s\r\n\r\n"),
	mirror("the request as a chunk's size", ok+"Transfer-Encoding: chunked\r\n\r\n%s\r\n"),
	mirror("the request as encodings", ok+"Transfer-Encoding: %s\r\nContent-Encoding: %s\r\n\r\n{}"),
	mirror("the request as a redirect", "HTTP/1.1 302 Found\r\nLocation: http://%s/%s\r\nContent-Length: 0\r\n\r\n"),
	mirror("the request as a body", "HTTP/1.1 400 Bad Request\r\n\r\n%s"),
}

// Secret repeats itself, so that to search for it takes long. It has two words, of which a parser
// may show one.
const (
	Secret = First + " " + Second
	First  = "aaaaaaaaaaaaaaab"
	Second = "aaaaaaaaaaaaaaac"
)

func sized(body string) string {
	return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", ok, len(body), body)
}

// bomb is half a gigabyte of zeros, compressed.
var bomb = sync.OnceValue(func() []byte { return compressed(512, make([]byte, 1<<20)) })

// bombs is the same, compressed again.
var bombs = sync.OnceValue(func() []byte { return compressed(1, bomb()) })

func compressed(times int, content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for range times {
		_, _ = w.Write(content)
	}
	_ = w.Close()
	return b.Bytes()
}
