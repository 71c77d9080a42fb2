// Package mutant changes Go code in many small ways, each a mutant: a statement is omitted, a condition is
// negated, an operator is another one. All mutants are compiled into one program, in which the environment
// variable MUTANT is the index of the active one; it adds those that it reaches to the file MUTANTS_REACHED.
package mutant

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/packages"
)

// Write writes the packages in folders of a module, with all their mutants, into another folder, with the file overlay.json for
// go's flag -overlay. It returns the keys of the mutants, PACKAGE/FILE FUNCTION: CHANGE, which stay when lines are added above
// them. Each package imports another one that is added to it.
func Write(to string, folders ...string) (keys []string) {
	all := Must(packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
		Dir:  folders[0],
	}, folders...))
	replace := map[string]string{}
	write := func(path, name string, text []byte) {
		replace[path] = filepath.Join(to, name)
		Check(os.WriteFile(replace[path], text, 0o600))
	}
	m := mutator{}
	for _, pkg := range all {
		m.info, m.helper = pkg.TypesInfo, pkg.PkgPath+"/mutant"
		for n, path := range pkg.GoFiles {
			m.name = pkg.Name + "/" + filepath.Base(path)
			write(path, pkg.Name+"-"+filepath.Base(path), m.file(Must(os.ReadFile(path)), pkg.Syntax[n]))
		}
		write(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "mutant/mutant.go"), "mutant.go", []byte(helperSource))
	}
	Check(os.WriteFile(to+"/overlay.json", Must(json.Marshal(map[string]any{"Replace": replace})), 0o600))
	return m.keys
}

// Must returns a value, unless there is an error.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check panics if there is an error.
func Check(err error) {
	if err != nil {
		panic(err)
	}
}

// mutator adds all mutants to a file at once: each asks, where it is reached, whether it is the
// active one. So a package is compiled once, not once a mutant.
type mutator struct {
	info   *types.Info
	helper string   // the import path of what a mutant asks
	keys   []string // of all mutants

	name, fn string // of the file and the function
	source   []byte
	base     int // the position of source's first byte
	edits    []edit
}

// edit inserts text into the source.
type edit struct {
	at   int
	text string
}

// file returns the source of a file with its mutants.
func (m *mutator) file(source []byte, f *ast.File) []byte {
	m.source, m.base = source, int(f.FileStart)
	m.edits = []edit{{int(f.Name.End()) - m.base, "; import mutant " + strconv.Quote(m.helper)}}
	astutil.Apply(f, m.visit, nil)
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
func (m *mutator) visit(at *astutil.Cursor) bool {
	switch n := at.Node().(type) {
	case *ast.FuncDecl:
		m.fn = n.Name.Name
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case ast.Stmt:
		if at.Index() >= 0 && m.canOmit(n) {
			first, _, _ := strings.Cut(m.plain(n), "\n")
			m.wrap(n, "if !"+m.add("%s → omitted", first)+" { ", " }")
		}
	case ast.Expr:
		if isRead(at) {
			m.negate(n)
		}
		constant := m.info.Types[n].Value != nil
		if b, ok := n.(*ast.BinaryExpr); ok && !constant {
			m.operator(b)
		}
		return !constant
	}
	return true
}

// canOmit reports whether the code compiles without a statement of a list.
func (m *mutator) canOmit(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return !strings.HasPrefix(m.plain(s), "panic(")
	case *ast.IncDecStmt, *ast.DeferStmt, *ast.GoStmt, *ast.SendStmt:
		return true
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	case *ast.ReturnStmt:
		return len(s.Results) == 0
	}
	return false
}

// isRead reports whether the value of an expression is.
func isRead(at *astutil.Cursor) bool {
	switch parent := at.Parent().(type) {
	case *ast.ExprStmt, *ast.DeferStmt, *ast.GoStmt:
		return false
	case *ast.AssignStmt:
		return at.Name() != "Lhs"
	case *ast.UnaryExpr:
		return parent.Op != token.AND // its address is
	}
	return true
}

// negate adds a mutant with the opposite of a boolean. What !, && and || combine, and a named
// constant, is negated where it is made.
func (m *mutator) negate(n ast.Expr) {
	t := m.info.Types[n]
	if t.Type != types.Typ[types.Bool] && t.Type != types.Typ[types.UntypedBool] || !t.IsValue() {
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
