package input

import (
	"strings"

	"automatic-rostering.example/rostering/plugin/core/ascii"
)

const (
	maxPath  = 8 << 10
	pathForm = " must begin with / and have only URL characters (RFC 3986); percent-encode others, % as %25"
)

// checkPath returns what is wrong with a path and its query, or "". A valid path stays under
// the URL that it is appended to, with every client: they differ in which dots, slashes and
// escapes they resolve, so none that any of them resolves is allowed.
func checkPath(path string) string {
	if len(path) > maxPath {
		return " is longer than 8 KiB; shorten its query, or send that as a body"
	}
	path, query, _ := ascii.Cut(path, "?")
	decoded, pathOK := ascii.PercentDecode(path)
	_, queryOK := ascii.PercentDecode(query)
	if !pathOK || !queryOK || !strings.HasPrefix(path, "/") {
		return pathForm
	}
	if escapes(path) || escapes(string(decoded)) {
		return " must not have //, a segment . or .., a backslash or a control character, percent-encoded or not"
	}
	return ""
}

// escapes reports whether a client could resolve path, which begins with a slash, to
// another one.
func escapes(path string) bool {
	segment, rest := "", path[1:]
	for more := true; more; {
		segment, rest, more = ascii.Cut(rest, "/")
		if segment == "." || segment == ".." || segment == "" && more {
			return true
		}
	}
	return strings.IndexByte(path, '\\') >= 0 || ascii.HasControl(path)
}
