// Package mutant changes Go code in many small ways, each a mutant: a statement is omitted, a condition is
// negated, an operator is another one. All mutants are compiled into one program, in which the environment
// variable MUTANT is the index of the active one; it adds those that it reaches to the file MUTANTS_REACHED.
package mutant

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Code is what is mutated.
type Code struct {
	Folders []string // of its packages; no two have the same name
	// Helper is the import path of a package that is added to the code's module, in HelperFolder.
	Helper, HelperFolder string
}

// Core is the core in the repository's folder, without what is for tests.
func Core(root string) Code {
	folders, _ := filepath.Glob(root + "/plugin/core/*")
	folders = slices.DeleteFunc(folders, func(dir string) bool { return filepath.Base(dir) == "model" })
	return Code{folders, "automatic-rostering/plugin/core/mutant", root + "/plugin/core/mutant"}
}

// Library is the Go library in the repository's folder.
func Library(root string) Code {
	return Code{[]string{root + "/sdk/go"}, "automatic-rostering.example/rostering/internal/mutant", root + "/sdk/go/internal/mutant"}
}

// Write writes the code with all its mutants into a folder, with the file overlay.json for go's flag -overlay.
// It returns the keys of the mutants, PACKAGE/FILE FUNCTION: CHANGE, which stay when lines are added above them.
func (c Code) Write(folder string) (keys []string, err error) {
	defer func() {
		if failure, ok := recover().(failed); ok {
			err = failure.error
		}
	}()
	m := mutator{fset: token.NewFileSet(), helper: c.Helper}
	replace := map[string]string{}
	write := func(path, name string, text []byte) {
		replace[path] = filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
		check(os.WriteFile(replace[path], text, 0o600))
	}
	compiled := exports(c.Folders)
	imports := importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(compiled[path]) })
	for _, dir := range c.Folders {
		pkg := filepath.Base(dir)
		paths := must(filepath.Glob(dir + "/*.go"))
		paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
		var files []*ast.File
		for _, path := range paths {
			files = append(files, must(parser.ParseFile(m.fset, path, nil, parser.SkipObjectResolution)))
		}
		m.findTypes(imports, files...)
		for n, path := range paths {
			name := pkg + "/" + filepath.Base(path)
			write(path, name, m.file(name, must(os.ReadFile(path)), files[n]))
		}
	}
	write(c.HelperFolder+"/mutant.go", "mutant.go", []byte(helperSource))
	check(os.WriteFile(folder+"/overlay.json", must(json.Marshal(map[string]any{"Replace": replace})), 0o600))
	return m.keys, nil
}

// exports returns the files with the types of all packages that some import, by their paths.
func exports(folders []string) map[string]string {
	list := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, folders...)...)
	list.Dir, list.Stderr = folders[0], os.Stderr
	files := map[string]string{}
	for line := range strings.Lines(string(must(list.Output()))) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return files
}

// failed is what check throws.
type failed struct{ error }

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(failed{err})
	}
}

// mutator adds all mutants to a file at once: each asks, where it is reached, whether it is the
// active one. So a package is compiled once, not once a mutant.
type mutator struct {
	fset   *token.FileSet
	info   types.Info
	helper string
	keys   []string // of all mutants

	name, fn string // of the file and the function
	source   []byte
	base     int               // the position of source's first byte
	unread   map[ast.Expr]bool // expressions whose value nothing reads
	edits    []edit
}

// edit inserts text into the source.
type edit struct {
	at   int
	text string
}

func (m *mutator) findTypes(imports types.Importer, files ...*ast.File) {
	m.info.Types = map[ast.Expr]types.TypeAndValue{}
	must((&types.Config{Importer: imports}).Check(files[0].Name.Name, m.fset, files, &m.info))
}

// file returns the source of a file with its mutants.
func (m *mutator) file(name string, source []byte, f *ast.File) []byte {
	m.name, m.source, m.base, m.unread = name, source, int(f.FileStart), map[ast.Expr]bool{}
	m.edits = []edit{{int(f.Name.End()) - m.base, "; import mutant " + strconv.Quote(m.helper)}}
	ast.Inspect(f, m.visit)
	slices.SortStableFunc(m.edits, func(a, b edit) int { return a.at - b.at })
	var text []byte
	from := 0
	for _, e := range m.edits {
		text = append(append(text, source[from:e.at]...), e.text...)
		from = e.at
	}
	return append(append(text, source[from:]...), "\nvar _ = mutant.Is\n"...)
}

// visit adds the mutants of a node, and reports whether there may be more within it.
func (m *mutator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		m.fn = n.Name.Name
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.BlockStmt:
		m.omit(n.List)
	case *ast.CaseClause:
		m.omit(n.Body)
	case *ast.DeferStmt:
		m.unread[n.Call] = true
	case *ast.GoStmt:
		m.unread[n.Call] = true
	case *ast.AssignStmt:
		for _, to := range n.Lhs {
			m.unread[to] = true
		}
	case ast.Expr:
		if of, ok := n.(*ast.UnaryExpr); ok && of.Op == token.AND {
			m.unread[of.X] = true // its address is
		}
		m.negate(n)
		constant := m.info.Types[n].Value != nil
		if b, ok := n.(*ast.BinaryExpr); ok && !constant {
			m.operator(b)
		}
		return !constant
	}
	return true
}

// omit adds mutants that omit a statement.
func (m *mutator) omit(list []ast.Stmt) {
	for _, s := range list {
		can := false
		switch s := s.(type) {
		case *ast.ExprStmt:
			m.unread[s.X] = true
			can = !strings.HasPrefix(m.plain(s), "panic(")
		case *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
			can = true
		case *ast.AssignStmt:
			can = s.Tok != token.DEFINE
		case *ast.BranchStmt:
			can = s.Tok == token.BREAK || s.Tok == token.CONTINUE
		case *ast.ReturnStmt:
			can = len(s.Results) == 0
		}
		if can {
			first, _, _ := strings.Cut(m.plain(s), "\n")
			m.wrap(s, "if !"+m.add("%s → omitted", first)+" { ", " }")
		}
	}
}

// negate adds a mutant with the opposite of a boolean. What !, && and || combine, and a named
// constant, is negated where it is made.
func (m *mutator) negate(n ast.Expr) {
	t := m.info.Types[n]
	if t.Type != types.Typ[types.Bool] && t.Type != types.Typ[types.UntypedBool] || !t.IsValue() || m.unread[n] {
		return
	}
	switch n := n.(type) {
	case *ast.UnaryExpr, *ast.ParenExpr:
		return
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			return
		}
	}
	if plain := m.plain(n); t.Value == nil || plain == "true" || plain == "false" {
		m.wrap(n, "((", ") != "+m.add("%s → not so", plain)+")")
	}
}

// others are what operators become.
var others = map[token.Token]string{token.LAND: "||", token.LOR: "&&", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

// operator adds a mutant with another operator, or with a number that is too large by one.
func (m *mutator) operator(n *ast.BinaryExpr) {
	a, b, other := m.plain(n.X), m.plain(n.Y), others[n.Op]
	switch n.Op {
	case token.LAND, token.LOR:
		is := m.add("%s %s %s → %s", a, n.Op, b, other)
		m.wrap(n, "("+is+" && (("+a+") "+other+" ("+b+")) || !"+is+" && (", "))")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		is := m.add("%s %s %s → %s", a, n.Op, b, other)
		m.wrap(n, "((", ") != ("+is+" && ("+a+") == ("+b+")))")
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM:
		if t, ok := m.info.TypeOf(n).Underlying().(*types.Basic); ok && t.Info()&types.IsInteger != 0 {
			m.wrap(n, "mutant.More("+m.add("%s %s %s → one more", a, n.Op, b)+", ", ")")
		}
	}
}

// add adds a mutant, and returns the expression that is true if it is the active one.
func (m *mutator) add(format string, args ...any) string {
	change := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	m.keys = append(m.keys, m.name+" "+m.fn+": "+change)
	return fmt.Sprintf("mutant.Is(%d)", len(m.keys)-1)
}

// plain returns the source of a node.
func (m *mutator) plain(n ast.Node) string {
	return string(m.source[int(n.Pos())-m.base : int(n.End())-m.base])
}

// wrap puts text before and after a node. The texts of outer nodes, which come first, stand outside.
func (m *mutator) wrap(n ast.Node, before, after string) {
	end := edit{int(n.End()) - m.base, after}
	m.edits = append([]edit{end}, append(m.edits, edit{int(n.Pos()) - m.base, before})...)
}

// helperSource is the package that mutated files import. MUTANT is the id of the active mutant.
const helperSource = `package mutant

import ("fmt"; "os"; "strconv"; "sync/atomic")

var active, isSet = strconv.Atoi(os.Getenv("MUTANT"))
var reached, _ = os.OpenFile(os.Getenv("MUTANTS_REACHED"), os.O_APPEND|os.O_WRONLY, 0)
var seen [1 << 16]atomic.Bool

func Is(id int) bool {
	if reached != nil && !seen[id].Swap(true) {
		fmt.Fprintln(reached, id)
	}
	return id == active && isSet == nil
}

type integer interface{ ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr }

func More[T integer](is bool, n T) T { if is { return n + 1 }; return n }
`
