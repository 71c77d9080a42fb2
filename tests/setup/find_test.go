package setup

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// starts has what starts a program in a language, up to the program's name if that is a literal.
var starts = map[string]*regexp.Regexp{
	".go":   regexp.MustCompile(`\bexec\.(?:Command|LookPath|CommandContext)\((?:[\w.()]+, )?"([^"]+)"`),
	".java": regexp.MustCompile(`\bProcessBuilder\(\s*"([^"]+)"`),
	".py":   regexp.MustCompile(`\b(?:which|run|Popen)\(\s*\[?\s*"([^"]+)"`),
	".js":   javaScript,
	".ts":   javaScript,
	".rs":   regexp.MustCompile(`\bCommand::new\(\s*"([^"]+)"`),
	".c":    regexp.MustCompile(`\b(?:system|popen|posix_spawnp?)\((?:&[^,]+, )?"([^" ]+)`),
	".json": regexp.MustCompile(`"command": \["([^"]+)"`), // hosts and their commands
}

var javaScript = regexp.MustCompile(`\b(?:spawn|execFile|Command)(?:Sync)?\(\s*\[?\s*'([^']+)'`)

// finder returns what finds the programs that a file starts from PATH, or nil.
func finder(file string) func(text string) ([]string, error) {
	switch extension := filepath.Ext(file); {
	case filepath.Base(file) == "Makefile":
		return inMakefile
	case extension == ".sh" || file == ".ci/run":
		return inScript
	case starts[extension] != nil:
		return func(text string) (names []string, _ error) {
			for _, found := range starts[extension].FindAllStringSubmatch(text, -1) {
				names = append(names, found[1])
			}
			return onPath(names), nil
		}
	default:
		return nil
	}
}

// onPath leaves out the repository's own programs, which have a path.
func onPath(names []string) (found []string) {
	for _, name := range names {
		if name != "" && !strings.Contains(name, "/") {
			found = append(found, name)
		}
	}
	return found
}

// inScript reads a script for bash. Commands whose names are in variables are not found.
func inScript(text string) ([]string, error) {
	var names []string
	err := walk(text, func(node syntax.Node) {
		if call, ok := node.(*syntax.CallExpr); ok {
			names = append(names, called(call.Args)...)
		}
	})
	functions, _ := functionsIn(text)
	return slices.DeleteFunc(onPath(names), func(name string) bool { return slices.Contains(functions, name) }), err
}

// functionsIn returns the names of the functions that a script defines.
func functionsIn(text string) (names []string, err error) {
	err = walk(text, func(node syntax.Node) {
		if function, ok := node.(*syntax.FuncDecl); ok {
			names = append(names, function.Name.Value)
		}
	})
	return names, err
}

func walk(text string, visit func(syntax.Node)) error {
	script, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err == nil {
		syntax.Walk(script, func(node syntax.Node) bool {
			visit(node)
			return true
		})
	}
	return err
}

// called returns the name of a command, and that of the one which it starts or looks for.
func called(args []*syntax.Word) (names []string) {
	for i, arg := range args {
		name := arg.Lit()
		if i > 0 && strings.HasPrefix(name, "-") {
			continue
		}
		names = append(names, name)
		if name != "exec" && name != "command" && name != "xargs" {
			break
		}
	}
	return names
}

var (
	assignment   = regexp.MustCompile(`(?m)^([A-Za-z_]+) [:?]?= (.*)$`)
	continuation = regexp.MustCompile(`\\\n\t*`)
)

// inMakefile reads recipes and calls of shell. What make puts into them is expanded where a
// plain variable of the file has it.
func inMakefile(text string) (names []string, err error) {
	text = continuation.ReplaceAllString(text, " ")
	e := expander{variables: map[string]string{}}
	for _, found := range assignment.FindAllStringSubmatch(text, -1) {
		e.variables[found[1]] = found[2]
	}
	for line := range strings.Lines(text) {
		expanded := e.expand(line)
		if strings.HasPrefix(line, "\t") {
			e.scripts = append(e.scripts, strings.TrimLeft(expanded, "\t@-"))
		}
	}
	for _, script := range e.scripts {
		found, err := inScript(script)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// expander expands variables of make, and collects what is for the shell.
type expander struct {
	variables map[string]string
	scripts   []string
}

// unknown stands for what the expander does not know: a path, which is no program of PATH.
const unknown = "./unknown"

func (e *expander) expand(text string) (expanded string) {
	for {
		before, after, found := strings.Cut(text, "$")
		expanded += before
		if !found {
			return expanded
		}
		if strings.HasPrefix(after, "(") {
			inside, rest := parenthesis(after)
			expanded += e.value(inside)
			text = rest
			continue
		}
		if strings.HasPrefix(after, "$") {
			expanded += "$"
		} else {
			expanded += unknown
		}
		text = after[1:]
	}
}

func (e *expander) value(inside string) string {
	if script, ok := strings.CutPrefix(inside, "shell "); ok {
		e.scripts = append(e.scripts, e.expand(script))
		return unknown
	}
	if value, ok := e.variables[inside]; ok {
		return e.expand(value)
	}
	return unknown
}

// parenthesis splits a text that begins with a parenthesis after the one that closes it.
func parenthesis(text string) (inside, rest string) {
	depth := 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return text[1:i], text[i+1:]
		}
	}
	return text[1:], ""
}
