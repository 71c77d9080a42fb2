package input_test

import (
	"net/url"
	"path"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/ascii"
	"automatic-rostering/plugin/core/input"
	"automatic-rostering/plugin/core/message"
)

func TestRequestIsRead(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       input.Own
	}{
		{"only a path", `{"path":"/"}`, input.Own{Path: "/", Method: "GET"}},
		{"a query", `{"path":"/a/b/?q=//../%00%5c?&u=http://h"}`,
			input.Own{Path: "/a/b/?q=//../%00%5c?&u=http://h", Method: "GET"}},
		{"every character that RFC 3986 allows", `{"path":"/azAZ09-._~!$&'()*+,;=:@?/azAZ09-._~!$&'()*+,;=:@/?"}`,
			input.Own{Path: "/azAZ09-._~!$&'()*+,;=:@?/azAZ09-._~!$&'()*+,;=:@/?", Method: "GET"}},
		{"a path of 8 KiB", `{"path":"/` + strings.Repeat("a", 8<<10-1) + `"}`,
			input.Own{Path: "/" + strings.Repeat("a", 8<<10-1), Method: "GET"}},
		{"a body of 1 MiB", `{"path":"/","method":"PUT","body":"` + strings.Repeat("a", 1<<20) + `"}`,
			input.Own{Path: "/", Method: "PUT", Body: strings.Repeat("a", 1<<20)}},
		{"dots that are no segments", `{"path":"/..a/b../.c/..."}`, input.Own{Path: "/..a/b../.c/...", Method: "GET"}},
		{"escapes are kept", `{"path":"/a%2Fb%252e%252e/%40"}`, input.Own{Path: "/a%2Fb%252e%252e/%40", Method: "GET"}},
		{"an at sign", `{"path":"/@evil.example/:80"}`, input.Own{Path: "/@evil.example/:80", Method: "GET"}},
		{"a method and a body", `{"path":"/a","method":"POST","body":"é\n\u0000"}`,
			input.Own{Path: "/a", Method: "POST", Body: "é\n\x00"}},
		{"an empty body counts as no body", `{"path":"/a","body":""}`, input.Own{Path: "/a", Method: "GET"}},
		{"headers", `{"path":"/a","headers":{"X-A":"b c\t","accept":""}}`,
			input.Own{Path: "/a", Method: "GET", Headers: []message.Header{{Name: "X-A", Value: "b c\t"}, {Name: "accept"}}}},
		{"no headers", `{"path":"/a","headers":{}}`, input.Own{Path: "/a", Method: "GET"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := input.Parse([]byte(tt.text), input.SendRequest)
			if err != nil || !reflect.DeepEqual(in.Own, tt.want) {
				t.Errorf("got %+v, %v, want %+v", in.Own, err, tt.want)
			}
		})
	}
}

func TestEveryMethod(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
		in, err := input.Parse([]byte(`{"path":"/","method":"`+method+`"}`), input.SendRequest)
		if err != nil || in.Own.Method != method {
			t.Errorf("%s: got %q, %v", method, in.Own.Method, err)
		}
	}
}

func TestRequestIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, key string }{
		{"nothing", ``, "path"},
		{"no path", `{}`, "path"},
		{"an empty path", `{"path":""}`, "path"},
		{"a path that is no text", `{"path":["/"]}`, "path"},
		{"no slash", `{"path":"jobs"}`, "path"},
		{"only a query", `{"path":"?a"}`, "path"},
		{"an absolute URL", `{"path":"https://evil.example/"}`, "path"},
		{"another host", `{"path":"//evil.example/"}`, "path"},
		{"an at sign in front", `{"path":"@evil.example/"}`, "path"},
		{"two slashes", `{"path":"/a//b"}`, "path"},
		{"two slashes at the end", `{"path":"/a//"}`, "path"},
		{"two slashes, one encoded", `{"path":"/a/%2f"}`, "path"},
		{"an encoded slash in front", `{"path":"/%2Fevil.example"}`, "path"},
		{"a dot", `{"path":"/a/./b"}`, "path"},
		{"two dots", `{"path":"/../b"}`, "path"},
		{"two dots at the end", `{"path":"/a/.."}`, "path"},
		{"two dots before a query", `{"path":"/a/..?b"}`, "path"},
		{"encoded dots", `{"path":"/a/%2e%2E/b"}`, "path"},
		{"one encoded dot of two", `{"path":"/a/.%2e/b"}`, "path"},
		{"dots between encoded slashes", `{"path":"/a%2f..%2fb"}`, "path"},
		{"a backslash", `{"path":"/a\\b"}`, "path"},
		{"an encoded backslash", `{"path":"/a%5cb"}`, "path"},
		{"an encoded line break", `{"path":"/a%0d%0aX:%20y"}`, "path"},
		{"an encoded NUL", `{"path":"/%00"}`, "path"},
		{"an encoded DEL", `{"path":"/%7f"}`, "path"},
		{"a line break", `{"path":"/a\r\nX: y"}`, "path"},
		{"a line break in the query", `{"path":"/a?b\n"}`, "path"},
		{"a space", `{"path":"/a b"}`, "path"},
		{"a space in the query", `{"path":"/a?b c"}`, "path"},
		{"a fragment", `{"path":"/a#b"}`, "path"},
		{"a fragment behind a query", `{"path":"/a?b#c"}`, "path"},
		{"what is not ASCII", `{"path":"/é"}`, "path"},
		{"what is not ASCII in the query", `{"path":"/?é"}`, "path"},
		{"half a surrogate pair", `{"path":"/\ud83d"}`, "path"},
		{"a % that begins no escape", `{"path":"/100%"}`, "path"},
		{"a % that begins no escape in the query", `{"path":"/?100%"}`, "path"},
		{"a % with one digit in the query", `{"path":"/?a=%2&b"}`, "path"},
		{"a path of more than 8 KiB", `{"path":"/` + strings.Repeat("a", 8<<10) + `"}`, "path"},
		{"an empty method", `{"path":"/","method":""}`, "method"},
		{"a method in lower case", `{"path":"/","method":"get"}`, "method"},
		{"a method that is not listed", `{"path":"/","method":"TRACE"}`, "method"},
		{"a method that splits the request", `{"path":"/","method":"GET / HTTP/1.1\r\nX: y"}`, "method"},
		{"a method that is no text", `{"path":"/","method":null}`, "method"},
		{"a body that is no text", `{"path":"/","method":"POST","body":{}}`, "body"},
		{"a body that is false", `{"path":"/","method":"POST","body":false}`, "body"},
		{"the host's body outside of request", `{"path":"/","method":"POST","body":true}`, "body"},
		{"a body that is not UTF-8", "{\"path\":\"/\",\"method\":\"POST\",\"body\":\"\xff\"}", "body"},
		{"a body with half a surrogate pair", `{"path":"/","method":"POST","body":"a\ud83d"}`, "body"},
		{"a body of more than 1 MiB", `{"path":"/","method":"POST","body":"` + strings.Repeat("a", 1<<20+1) + `"}`, "body"},
		{"a body with GET", `{"path":"/","body":"b"}`, "body"},
		{"a body with HEAD", `{"path":"/","method":"HEAD","body":"b"}`, "body"},
		{"headers as a list", `{"path":"/","headers":[]}`, "headers"},
		{"headers as null", `{"path":"/","headers":null}`, "headers"},
		{"a header that is a list", `{"path":"/","headers":{"X":["y"]}}`, "headers"},
		{"a header that is null", `{"path":"/","headers":{"X":null}}`, "headers"},
		{"a header twice", `{"path":"/","headers":{"X-A":"1","x-a":"2"}}`, "headers"},
		{"a header without a name", `{"path":"/","headers":{"":"y"}}`, "headers"},
		{"a name with a space", `{"path":"/","headers":{"X A":"y"}}`, "headers"},
		{"a name with a colon", `{"path":"/","headers":{"X:":"y"}}`, "headers"},
		{"a name that splits", `{"path":"/","headers":{"X\r\nY":"y"}}`, "headers"},
		{"a value that splits", `{"path":"/","headers":{"X":"y\r\nY: z"}}`, "headers"},
		{"a value beyond ASCII", `{"path":"/","headers":{"X":"é"}}`, "headers"},
		{"a value with NUL", `{"path":"/","headers":{"X":"\u0000"}}`, "headers"},
		{"force", `{"path":"/","force":true}`, "force"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse([]byte(tt.text), input.SendRequest)
			checkError(t, err, tt.key)
		})
	}
}

func TestACharacterThatNoURIHasIsRefused(t *testing.T) {
	for _, c := range "\"<>[]{}|^\\`# \t\n\x7fé" {
		for _, path := range []string{"/a" + string(c), "/?a=" + string(c)} {
			_, err := input.Parse(marshal(t, map[string]any{"path": path}), input.SendRequest)
			checkError(t, err, "path")
		}
	}
}

func TestTheHostsBody(t *testing.T) {
	for _, tt := range []struct{ method, body, key string }{
		{"POST", "true", ""}, {"DELETE", "true", ""}, {"GET", "true", "body"}, {"HEAD", "true", "body"},
		{"POST", "false", "body"}, {"POST", "null", "body"}, {"POST", `"text"`, "body"},
	} {
		text := `{"path":"/","method":"` + tt.method + `","body":` + tt.body + `}`
		in, err := input.Parse([]byte(text), input.Request)
		switch {
		case tt.key != "":
			checkError(t, err, tt.key)
		case err != nil || !in.Own.HostBody || in.Own.Body != "":
			t.Errorf("%s: got %+v, %v", tt.method, in.Own, err)
		}
	}
}

func TestRequestHasADefaultPath(t *testing.T) {
	in, err := input.Parse(nil, input.Request)
	if err != nil || in.Own.Path != "/jobs" || in.Own.Method != "GET" {
		t.Errorf("got %+v, %v", in.Own, err)
	}
}

func TestHeadersAreLimited(t *testing.T) {
	headers := func(count, nameSize, valueSize int) map[string]string {
		all := map[string]string{}
		for i := range count {
			name := strconv.Itoa(i)
			all[name+strings.Repeat("x", nameSize-len(name))] = strings.Repeat("y", valueSize)
		}
		return all
	}
	for _, tt := range []struct {
		name    string
		headers map[string]string
		key     string
	}{
		{"100", headers(100, 3, 1), ""},
		{"101", headers(101, 3, 1), "headers"},
		{"20,000", headers(20_000, 5, 1), "headers"},
		{"32 KiB", headers(64, 256, 256), ""},
		{"a name of a byte more", headers(1, 32<<10, 1), "headers"},
		{"a value of a byte more", headers(1, 1, 32<<10), "headers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := input.Parse(marshal(t, map[string]any{"path": "/", "headers": tt.headers}), input.SendRequest)
			if tt.key != "" {
				checkError(t, err, tt.key)
			} else if err != nil || len(in.Own.Headers) != len(tt.headers) {
				t.Errorf("got %d headers, %v", len(in.Own.Headers), err)
			}
		})
	}
}

func TestReservedHeaders(t *testing.T) {
	for _, name := range []string{"Authorization", "CUSTOMER_ID", "Customer-Id", "USER_ID", "user-id", "Host",
		"Content-Length", "content_length", "Transfer-Encoding", "Connection",
		"Expect", "Upgrade", "Keep-Alive", "Keep_Alive", "TE", "Trailer", "Proxy-Connection"} {
		for _, written := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			_, err := input.Parse([]byte(`{"path":"/","headers":{"`+written+`":"x"}}`), input.SendRequest)
			checkError(t, err, "headers")
		}
	}
}

// FuzzRequest searches for an input whose request leaves its base URL, or overrides or splits
// a header.
func FuzzRequest(f *testing.F) {
	for _, path := range []string{"/jobs/1?a=b", "//h", "/../a", "/%2e%2e/", `/\h`, "/a%2f..%2fb", "/a;/..;/b", "/.%2E?", "/%252e%252e/"} {
		f.Add(path, "X-A", "b")
	}
	f.Add("/", "customer-ID", "c")
	f.Add("/", "A\r\nB", "c\r\nd")
	const base = "https://api.example/v1"
	f.Fuzz(func(t *testing.T, given, name, value string) {
		in, err := input.Parse(marshal(t, map[string]any{"path": given, "headers": map[string]string{name: value}}), input.SendRequest)
		if err != nil {
			return
		}
		u, parseErr := url.Parse(base + in.Own.Path)
		if parseErr != nil {
			t.Fatalf("%q: %v", in.Own.Path, parseErr)
		}
		if u.Scheme != "https" || u.Host != "api.example" || u.User != nil || u.Fragment != "" {
			t.Errorf("%q leads to %s", given, u)
		}
		// Clients may clean the path before or after they decode it.
		for _, p := range []string{u.EscapedPath(), u.Path, strings.ReplaceAll(u.Path, `\`, "/")} {
			if !strings.HasPrefix(path.Clean(p)+"/", "/v1/") || strings.Contains(p, "//") {
				t.Errorf("%q leaves the base URL as %q", given, p)
			}
		}
		for _, h := range in.Own.Headers {
			folded := strings.ReplaceAll(ascii.Lower(h.Name), "_", "-")
			for _, own := range strings.Fields(input.ForbiddenHeaders) {
				if folded == own {
					t.Errorf("the header %q passed", h.Name)
				}
			}
			if strings.ContainsAny(h.Name+h.Value, "\r\n\x00") || strings.ContainsAny(h.Name, ": \t") {
				t.Errorf("the header %q: %q passed", h.Name, h.Value)
			}
		}
	})
}
