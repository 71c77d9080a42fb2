package conformance

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

// hostileSecret repeats itself, so that to search for it takes long. It has two words, of which a parser
// may show one.
const (
	hostileSecret         = firstWord + " " + secondWord
	firstWord, secondWord = "aaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaac"
)

// kind is something that a server does instead of a response.
type kind struct {
	name string
	do   func(c net.Conn, asked string) // asked is what the request contains
	// drips is set if only a timeout ends it, with some clients.
	drips bool
	// stays is set if the connection remains open, and the server responds to its next request.
	stays bool
}

const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"

// says is a kind that writes a string, in which %s is what the request contains, and closes the connection.
func says(name, response string) kind {
	return kind{name: name, do: func(c net.Conn, asked string) {
		_, _ = io.WriteString(c, strings.ReplaceAll(response, "%s", asked))
	}}
}

// adds is a kind that writes a response to no request, or a body that a response cannot have, after the one that was
// requested. It must neither answer the next request nor fail it.
func adds(name, response string) kind {
	k := says(name, response)
	k.stays = true
	return k
}

// unrequested is a response to no request: it could be another customer's.
var unrequested = sized(`{"jobs":["` + ofAnother + `"]}`)

const ofAnother = "of another customer"

// repeat writes a string again and again until the client leaves.
func repeat(c net.Conn, text string, pause time.Duration) {
	for {
		if _, err := io.WriteString(c, text); err != nil {
			return
		}
		time.Sleep(pause)
	}
}

var kinds = []kind{
	{name: "no response", do: func(c net.Conn, _ string) { _, _ = io.Copy(io.Discard, c) }, drips: true},
	says("closes the connection", ""),
	says("not HTTP", "* OK IMAP4rev1 ready\r\n"),
	{name: "headers, a byte at a time", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok+"X-Slow: ")
		repeat(c, "x", 50*time.Millisecond)
	}, drips: true},
	{name: "a body, a byte at a time", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok+"\r\n")
		repeat(c, " ", 50*time.Millisecond)
	}, drips: true},
	{name: "an endless body", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok+"\r\n")
		repeat(c, strings.Repeat("[", 64<<10), 0)
	}},
	{name: "an endless error", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
		repeat(c, strings.Repeat("[", 64<<10), 0)
	}},
	{name: "endless headers", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok)
		repeat(c, strings.Repeat("X-More: "+strings.Repeat("y", 1000)+"\r\n", 64), 5*time.Millisecond)
	}, drips: true},
	{name: "endless informational responses", do: func(c net.Conn, _ string) {
		repeat(c, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 100), 0)
	}, drips: true},
	{name: "half a gigabyte of zeros, compressed", do: func(c net.Conn, _ string) {
		_, _ = fmt.Fprintf(c, "%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", ok, len(bomb()))
		_, _ = c.Write(bomb())
	}},
	{name: "the same, compressed twice", do: func(c net.Conn, _ string) {
		_, _ = fmt.Fprintf(c, "%sContent-Encoding: gzip, gzip\r\nContent-Length: %d\r\n\r\n", ok, len(bombs()))
		_, _ = c.Write(bombs())
	}},
	says("invalid gzip", ok+"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"),
	says("a body shorter than its length", ok+"Content-Length: 100\r\n\r\n{}"),
	says("a body longer than its length", ok+"Content-Length: 2\r\n\r\n{}{}{}"),
	says("two lengths", ok+"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "),
	says("a negative length", ok+"Content-Length: -1\r\n\r\n{}"),
	says("a length too large for an integer", ok+"Content-Length: 99999999999999999999\r\n\r\n{}"),
	says("an invalid chunk size", ok+"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
	says("a chunk size too large for an integer", ok+"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n"),
	{name: "an endless chunk size", do: func(c net.Conn, _ string) {
		_, _ = io.WriteString(c, ok+"Transfer-Encoding: chunked\r\n\r\n")
		repeat(c, strings.Repeat("0", 64<<10), 0)
	}, drips: true},
	says("chunks and a length", ok+"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n"),
	says("a header with a zero byte", ok+"X-Zero: a\x00b\r\nContent-Length: 2\r\n\r\n{}"),
	says("a header without a name", ok+": x\r\nContent-Length: 2\r\n\r\n{}"),
	says("a header's name with a space", ok+"X Space: x\r\nContent-Length: 2\r\n\r\n{}"),
	says("the status 099", "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\n{}"),
	says("the status 600", "HTTP/1.1 600 High\r\nContent-Length: 2\r\n\r\n{}"),
	says("the status 999", "HTTP/1.1 999 High\r\nContent-Length: 2\r\n\r\n{}"),
	says("the status 421", "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 2\r\n\r\n{}"),
	says("a seven-digit status", "HTTP/1.1 2000000 OK\r\nContent-Length: 2\r\n\r\n{}"),
	says("a 204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}"),
	adds("a response to no request", sized(`{"access_token":"t","token_type":"Bearer","expires_in":9}`)+unrequested),
	adds("half of a response to no request", sized(`{"access_token":"t","token_type":"Bearer","expires_in":9}`)+unrequested[:20]),
	adds("a 204 with a body, and an open connection", "HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n{}"),
	adds("a 304 with a response to no request as its body", "HTTP/1.1 304 Not Modified\r\n\r\n"+unrequested),
	says("256 KB of brackets", sized(strings.Repeat(`{"a":[`, 256<<10/6))),
	says("a number of 256 KB", sized(`{"access_token":"t","token_type":"Bearer","expires_in":`+strings.Repeat("9", 256<<10-100)+`}`)),
	says("a 256 KB error text that resembles the secret", "HTTP/1.1 400 Bad Request\r\n"+
		sized(`{"error":"invalid_client","error_description":"` + strings.Repeat("a", 256<<10) + `"}`)[len(ok):]),
	says("the request as the status line", "%s\r\n\r\n"),
	says("the request as a version", "HTTP/%s 200 OK\r\n\r\n"),
	says("the request as a status", "HTTP/1.1 %s\r\n\r\n"),
	says("the request as a reason", "HTTP/1.1 400 %s\r\nContent-Length: 0\r\n\r\n"),
	says("the request as a header", ok+"%s\r\n\r\n"),
	says("the request as a header's name", "HTTP/1.1 400 Bad Request\r\n%s: x\r\nContent-Length: 0\r\n\r\n"),
	says("the request as a header's value", "HTTP/1.1 400 Bad Request\r\nX-Echo: %s\r\nRetry-After: %s\r\nContent-Length: 0\r\n\r\n"),
	says("the request as a length", ok+"Content-Length: %s\r\n\r\n"),
	says("the request as a chunk's size", ok+"Transfer-Encoding: chunked\r\n\r\n%s\r\n"),
	says("the request as encodings", ok+"Transfer-Encoding: %s\r\nContent-Encoding: %s\r\n\r\n{}"),
	says("the request as a redirect", "HTTP/1.1 302 Found\r\nLocation: http://%s/%s\r\nContent-Length: 0\r\n\r\n"),
	says("the request as a body", "HTTP/1.1 400 Bad Request\r\n\r\n%s"),
}

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
