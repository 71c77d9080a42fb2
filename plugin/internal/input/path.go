package input

import (
	"bytes"
	"strings"

	"automatic-rostering/plugin/internal/ascii"
	"automatic-rostering/plugin/internal/percent"
)

// checkPath says what is wrong with a path, with its query, or "". What passes stays
// under the address that it is joined to, on every client: they differ in which dots,
// slashes and escapes they resolve, so none that any resolves may be there.
func checkPath(path string) string {
	if !ascii.AllVisible(path) || path[0] != '/' || strings.Contains(path, "#") {
		return "path must begin with / and be visible ASCII without #; percent-encode the rest"
	}
	path, _, _ = strings.Cut(path, "?")
	decoded, ok := percent.Decode(path)
	if !ok {
		return "path holds a % that begins no escape; write %25"
	}
	if escapes([]byte(path)) || escapes(decoded) {
		return "path must stay under base_url: it may not hold //, a segment . or .., a backslash or a control character, nor percent-encoded"
	}
	return ""
}

// escapes reports whether a client could read path, which begins with a slash, as one
// that leads elsewhere.
func escapes(path []byte) bool {
	segments := bytes.Split(path[1:], []byte("/"))
	for i, s := range segments {
		switch string(s) {
		case ".", "..":
			return true
		case "":
			if i < len(segments)-1 {
				return true
			}
		}
	}
	return bytes.IndexByte(path, '\\') >= 0 || ascii.HasControl(string(path))
}
