package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one change of the core. Its key names it in explained.txt, and stays when lines are
// added above it.
type mutant struct {
	pkg, key string
	line     int
}

// mutate writes the core with all its mutants into a folder, with the file overlay.json for go's flag
// -overlay. The n-th mutant has the number n+1.
func mutate(top, folder string) (all []mutant, err error) {
	fset, replace := token.NewFileSet(), map[string]string{}
	imports := importer.ForCompiler(fset, "source", nil)
	packages, err := filepath.Glob(top + "/plugin/core/*")
	if err != nil {
		return nil, err
	}
	for _, dir := range packages {
		pkg := filepath.Base(dir)
		if pkg == "model" || pkg == "memory" { // they are for tests
			continue
		}
		paths, _ := filepath.Glob(dir + "/*.go")
		paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
		var files []*ast.File
		for _, path := range paths {
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, file)
		}
		info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
		if _, err := (&types.Config{Importer: imports}).Check(pkg, fset, files, info); err != nil {
			return nil, err
		}
		for n, path := range paths {
			source, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			before, name := len(all), pkg+"/"+filepath.Base(path)
			m := mutator{source: source, fset: fset, info: info, name: name, pkg: pkg, all: &all}
			if text := m.file(files[n]); len(all) > before { // otherwise it would not use its import
				replace[path] = filepath.Join(folder, strings.ReplaceAll(name, "/", "-"))
				if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
					return nil, err
				}
			}
		}
	}
	replace[top+"/plugin/core/mutant/mutant.go"] = folder + "/mutant.go"
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	return all, errors.Join(err, os.WriteFile(folder+"/mutant.go", []byte(helperSource), 0o600), os.WriteFile(folder+"/overlay.json", overlay, 0o600))
}

// mutator rewrites a file so that it has all its mutants at once: each asks, where it is
// reached, whether it is the active one. So a package is compiled once, not once a mutant.
type mutator struct {
	source []byte
	base   int // the position of source's first byte
	fset   *token.FileSet
	info   *types.Info
	name   string // of the file
	pkg    string
	fn     string
	all    *[]mutant
}

// file returns the source of a file with its mutants.
func (m *mutator) file(f *ast.File) string {
	m.base = int(f.FileStart)
	out := m.rewrite(f)
	at := int(f.Name.End()) - m.base // nothing before it is rewritten
	return out[:at] + "; import \"" + helper + "\"" + out[at:]
}

// add notes a mutant, and returns the expression that is true if it is the active one.
func (m *mutator) add(n ast.Node, format string, args ...any) string {
	change := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	*m.all = append(*m.all, mutant{m.pkg, m.name + " " + m.fn + ": " + change, m.fset.Position(n.Pos()).Line})
	return fmt.Sprintf("mutant.Is(%d)", len(*m.all))
}

// plain returns the source of a node.
func (m *mutator) plain(n ast.Node) string {
	return string(m.source[int(n.Pos())-m.base : int(n.End())-m.base])
}

// rewrite returns the source of a node with the mutants in it.
func (m *mutator) rewrite(n ast.Node) string {
	switch n := n.(type) {
	case *ast.FuncDecl:
		m.fn = n.Name.Name
	case *ast.GenDecl:
		if n.Tok == token.CONST || n.Tok == token.IMPORT || n.Tok == token.TYPE {
			return m.plain(n)
		}
	case *ast.BlockStmt:
		return m.inside(n, n.List...)
	case *ast.CaseClause:
		return m.inside(n, n.Body...)
	case ast.Expr:
		if value := m.info.Types[n]; value.Value != nil {
			return m.constant(n)
		}
		switch n := n.(type) {
		case *ast.BinaryExpr:
			return m.binary(n)
		case *ast.ArrayType:
			return m.plain(n)
		}
	}
	return m.inside(n)
}

// inside rewrites the children of a node, of which some are statements that may be removed.
func (m *mutator) inside(parent ast.Node, statements ...ast.Stmt) string {
	var out strings.Builder
	at := parent.Pos()
	if f, ok := parent.(*ast.File); ok {
		at = f.FileStart
	}
	from := at
	copyTo := func(to token.Pos) { out.Write(m.source[int(from)-m.base : int(to)-m.base]) }
	ast.Inspect(parent, func(n ast.Node) bool {
		if n == parent {
			return true
		}
		if n == nil {
			return false
		}
		if _, ok := n.(*ast.CommentGroup); ok || n.Pos() < from {
			return false
		}
		copyTo(n.Pos())
		switch text := m.rewrite(n); {
		case slices.ContainsFunc(statements, func(s ast.Stmt) bool { return s == n }):
			out.WriteString(m.statement(n.(ast.Stmt), text))
		case isCondition(parent, n) && m.isVariable(n):
			out.WriteString("((" + text + ") != " + m.add(n, "%s → not so", m.plain(n)) + ")")
		default:
			out.WriteString(text)
		}
		from = n.End()
		return false
	})
	end := parent.End()
	if f, ok := parent.(*ast.File); ok {
		end = f.FileEnd
	}
	copyTo(end)
	return out.String()
}

// isCondition reports whether a child of a node is a condition.
func isCondition(parent, child ast.Node) bool {
	switch p := parent.(type) {
	case *ast.IfStmt:
		return p.Cond == child
	case *ast.ForStmt:
		return p.Cond == child
	case *ast.UnaryExpr:
		return p.Op == token.NOT
	case *ast.CaseClause, *ast.ReturnStmt:
		return true
	}
	return false
}

// isVariable reports whether a node is a boolean other than a comparison or a combination.
func (m *mutator) isVariable(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Ident, *ast.CallExpr, *ast.SelectorExpr, *ast.IndexExpr:
		t := m.info.Types[n.(ast.Expr)]
		return t.Type != nil && t.Value == nil && t.IsValue() && types.Identical(t.Type, types.Typ[types.Bool])
	}
	return false
}

func (m *mutator) constant(n ast.Expr) string {
	name, ok := n.(*ast.Ident)
	if !ok || name.Name != "true" && name.Name != "false" {
		return m.plain(n)
	}
	is := m.add(n, "%s → not so", name.Name)
	if name.Name == "true" {
		return "!" + is
	}
	return is
}

// operand is that of && or ||, which may be a condition itself.
func (m *mutator) operand(n ast.Expr) string {
	text := m.rewrite(n)
	if m.isVariable(n) {
		return "((" + text + ") != " + m.add(n, "%s → not so", m.plain(n)) + ")"
	}
	return text
}

var boundaries = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR}

var arithmetic = map[token.Token]struct{ function, becomes string }{
	token.ADD: {"Add", "-"}, token.SUB: {"Sub", "+"}, token.MUL: {"Mul", "/"}, token.QUO: {"Div", "*"}, token.REM: {"Rem", "*"},
}

func (m *mutator) binary(n *ast.BinaryExpr) string {
	x, y, a, b := "", "", m.plain(n.X), m.plain(n.Y)
	if n.Op == token.LAND || n.Op == token.LOR {
		x, y = m.operand(n.X), m.operand(n.Y)
		other := map[token.Token]string{token.LAND: "||", token.LOR: "&&"}[n.Op]
		is := m.add(n, "%s %s %s → %s", a, n.Op, b, other)
		return fmt.Sprintf("(%s && ((%s) %s (%s)) || !%s && ((%s) %s (%s)))", is, a, other, b, is, x, n.Op, y)
	}
	x, y = m.rewrite(n.X), m.rewrite(n.Y)
	switch n.Op {
	case token.EQL, token.NEQ:
		return fmt.Sprintf("((%s %s %s) != %s)", x, n.Op, y, m.add(n, "%s %s %s → not so", a, n.Op, b))
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		is := m.add(n, "%s %s %s → %s", a, n.Op, b, boundaries[n.Op])
		not := m.add(n, "%s %s %s → not so", a, n.Op, b)
		return fmt.Sprintf("(((%s %s %s) != (%s && (%s) == (%s))) != %s)", x, n.Op, y, is, a, b, not)
	}
	if how, ok := arithmetic[n.Op]; ok && m.isInteger(n) {
		m.add(n, "%s %s %s → %s", a, n.Op, b, how.becomes)
		return fmt.Sprintf("mutant.%s(%d, %s, %s)", how.function, len(*m.all), x, y)
	}
	return x + string(m.source[int(n.X.End())-m.base:int(n.Y.Pos())-m.base]) + y
}

func (m *mutator) isInteger(n ast.Expr) bool {
	basic, ok := m.info.TypeOf(n).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

// statement returns a statement, rewritten already, that is omitted in a mutant, or does
// the opposite.
func (m *mutator) statement(s ast.Stmt, text string) string {
	opposite := ""
	switch s := s.(type) {
	case *ast.ExprStmt:
		if strings.HasPrefix(m.plain(s), "panic(") {
			return text
		}
	case *ast.IncDecStmt:
		opposite = m.plain(s.X) + map[token.Token]string{token.INC: "--", token.DEC: "++"}[s.Tok]
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return text
		}
		if s.Tok == token.ADD_ASSIGN && m.isInteger(s.Lhs[0]) {
			opposite = m.plain(s.Lhs[0]) + " -= " + m.plain(s.Rhs[0])
		}
	case *ast.BranchStmt:
		if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
			return text
		}
	case *ast.ReturnStmt:
		if len(s.Results) > 0 {
			return text
		}
	default:
		return text
	}
	first, _, _ := strings.Cut(m.plain(s), "\n")
	text = "if !" + m.add(s, "%s → omitted", first) + " { " + text + " }"
	if opposite != "" {
		text = "if " + m.add(s, "%s → %s", first, opposite) + " { " + opposite + " } else " + text
	}
	return text
}

// helper is the package that mutated files import, and helperSource what is in it.
const helper = "automatic-rostering/plugin/core/mutant"

const helperSource = `package mutant

import ("fmt"; "os"; "strconv"; "sync/atomic")

var active, _ = strconv.Atoi(os.Getenv("MUTANT"))
var reached, _ = os.OpenFile(os.Getenv("MUTANTS_REACHED"), os.O_APPEND|os.O_WRONLY, 0)
var seen [1 << 16]atomic.Bool

func Is(id int) bool {
	if reached != nil && !seen[id].Load() && !seen[id].Swap(true) {
		fmt.Fprintln(reached, id)
	}
	return id == active
}

type integer interface{ ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr }

func Add[T integer](id int, a, b T) T { if Is(id) { return a - b }; return a + b }
func Sub[T integer](id int, a, b T) T { if Is(id) { return a + b }; return a - b }
func Mul[T integer](id int, a, b T) T { if Is(id) { return a / b }; return a * b }
func Div[T integer](id int, a, b T) T { if Is(id) { return a * b }; return a / b }
func Rem[T integer](id int, a, b T) T { if Is(id) { return a * b }; return a % b }
`
