package docs

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// Errors are data: what a library does never depends on the text of an error, no matter whether the
// library, the plugin or a dependency wrote it.
var (
	// text finds what has the text of an error.
	text = regexp.MustCompile(`(?i)\.message\b|\(message\b|\.Error\(\)|getMessage\(|\.args\[0\]|` +
		`(str|String|repr|valueOf)\((e|err|error|failure|failed|thrown|cause|reason)\)|` +
		`\b(e|err|error|failure|failed|thrown|cause)\.to_?string\(\)`)
	// reads finds what searches a text, or takes a part of it.
	reads = regexp.MustCompile(`(?i)regexp?[.(]|new RegExp|\bre\.[a-z]+\(|\.(matches|matcher|match|test|exec|search)\(|` +
		`strings\.(Contains|HasPrefix|HasSuffix|Split|Cut|Fields|Index|EqualFold|Trim)|` +
		`\.(r?split|r?partition|splitlines|substring|slice|includes|contains|indexOf|r?find)\w*\(|` +
		`\.(starts_?with|ends_?with|strip_|removeprefix|removesuffix|replace|trim_)\w*\(|` +
		`" (not )?in (str\(|.*message)`)
	comment = regexp.MustCompile(`^\s*(//|\*|/\*|#|""")`)
)

// shown are lines that only shorten what is shown to people.
var shown = map[string]string{
	`text, _, _ := strings.Cut(withoutURL(err).Error(), "\"")`:      "net/http quotes what a server sent",
	`lines = str(failure).splitlines() or [type(failure).__name__]`: "wasmtime adds a long backtrace",
}

// readsText reports whether a line of a library reads the text of an error.
func readsText(line string) bool {
	return !comment.MatchString(line) && text.MatchString(line) && reads.MatchString(line)
}

func TestMessages(t *testing.T) {
	list := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard", "--",
		"sdk/*.go", "sdk/*.js", "sdk/*.py", "sdk/*.java", "sdk/*.rs", "internal/*.go")
	list.Dir = hosts.Root()
	files, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for file := range strings.FieldsSeq(string(files)) {
		if strings.Contains(file, "test") || filepath.Base(file) == "rostering-core.js" {
			continue
		}
		for n, line := range strings.Split(read(t, file), "\n") {
			lines++
			if readsText(line) && shown[strings.TrimSpace(line)] == "" {
				t.Errorf("%s:%d reads the text of an error: use its type, or a field\n%s", file, n+1, line)
			}
		}
	}
	if lines < 10_000 {
		t.Errorf("only %d lines were looked at", lines)
	}
}

// What TestMessages finds, and what it does not.
func TestMessagesFinds(t *testing.T) {
	for line, want := range map[string]bool{
		`if strings.Contains(err.Error(), "certificate") {`:                   true,
		`key, _, _ := strings.Cut(e.Message, " ")`:                            true,
		`const retryable = /certificate/.test(String(error));`:                true,
		`if (error.message.includes('certificate'))`:                          true,
		`key = re.match(r"(\w+) is", error.message)`:                          true,
		`if "certificate" in str(error):`:                                     true,
		`if "certificate" not in error.message:`:                              true,
		`for part in error.message.split("; "):`:                              true,
		`if (e.getMessage().startsWith("x509")) {`:                            true,
		`if error.to_string().contains("certificate") {`:                      true,
		`let key = error.message.split_once(' ');`:                            true,
		`// strings.Contains(err.Error(), "certificate") would be wrong`:      false,
		`error.message.push_str(" (the body can be read only once)");`:        false,
		`e.Message += " (" + strings.Join(own, "; ") + ")"`:                   false,
		`if (path.includes('?')) throw new TypeError("the path has a query")`: false,
	} {
		if readsText(line) != want {
			t.Errorf("%v is the wrong verdict on: %s", !want, line)
		}
	}
}
