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

// mutator adds all mutants to a file at once: each asks, where it is reached, whether it is the
// active one. So a package is compiled once, not once a mutant.
type mutator struct {
	source        []byte
	base          int // the position of source's first byte
	fset          *token.FileSet
	info          *types.Info
	name, pkg, fn string // of the file, the package, the function
	all           *[]mutant
	edits         []edit
}

// edit replaces some bytes of the source.
type edit struct {
	at, size int
	text     string
}

// file returns the source of a file with its mutants.
func (m *mutator) file(f *ast.File) string {
	m.base = int(f.FileStart)
	m.edits = []edit{{int(f.Name.End()) - m.base, 0, "; import \"" + helper + "\""}}
	var parents []ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			parents = parents[:len(parents)-1]
			return true
		}
		inside := len(parents) == 0 || m.visit(n, parents[len(parents)-1])
		if inside {
			parents = append(parents, n)
		}
		return inside
	})
	slices.SortStableFunc(m.edits, func(a, b edit) int { return a.at - b.at })
	var out strings.Builder
	from := 0
	for _, e := range m.edits {
		out.Write(m.source[from:e.at])
		out.WriteString(e.text)
		from = e.at + e.size
	}
	out.Write(m.source[from:])
	return out.String()
}

// add adds a mutant, and returns the expression that is true if it is the active one.
func (m *mutator) add(n ast.Node, format string, args ...any) string {
	change := strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " ")
	*m.all = append(*m.all, mutant{m.pkg, m.name + " " + m.fn + ": " + change, m.fset.Position(n.Pos()).Line})
	return fmt.Sprintf("mutant.Is(%d)", len(*m.all))
}

// plain returns the source of a node.
func (m *mutator) plain(n ast.Node) string {
	return string(m.source[int(n.Pos())-m.base : int(n.End())-m.base])
}

// wrap puts text before and after a node. The texts of outer nodes, which come first, stand outside.
func (m *mutator) wrap(n ast.Node, before, after string) {
	end := edit{int(n.End()) - m.base, 0, after}
	m.edits = append([]edit{end}, append(m.edits, edit{int(n.Pos()) - m.base, 0, before})...)
}

// visit adds the mutants of a node, and reports whether there may be more within it.
func (m *mutator) visit(n, parent ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		m.fn = n.Name.Name
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ArrayType:
		return false
	case ast.Stmt:
		switch parent.(type) {
		case *ast.BlockStmt, *ast.CaseClause:
			m.statement(n)
		}
	case ast.Expr:
		constant := m.info.Types[n].Value != nil
		if constant && (m.plain(n) == "true" || m.plain(n) == "false") || !constant && m.isCondition(n, parent) {
			m.wrap(n, "((", ") != "+m.add(n, "%s → not so", m.plain(n))+")")
		}
		if b, ok := n.(*ast.BinaryExpr); ok && !constant {
			m.binary(b)
		}
		return !constant
	}
	return true
}

// isCondition reports whether a node is a boolean, other than a comparison or a combination, that decides.
func (m *mutator) isCondition(n ast.Expr, parent ast.Node) bool {
	switch n.(type) {
	case *ast.Ident, *ast.CallExpr, *ast.SelectorExpr, *ast.IndexExpr:
	default:
		return false
	}
	if t := m.info.Types[n]; t.Type == nil || !t.IsValue() || !types.Identical(t.Type, types.Typ[types.Bool]) {
		return false
	}
	switch p := parent.(type) {
	case *ast.IfStmt:
		return p.Cond == n
	case *ast.ForStmt:
		return p.Cond == n
	case *ast.UnaryExpr:
		return p.Op == token.NOT
	case *ast.BinaryExpr:
		return p.Op == token.LAND || p.Op == token.LOR
	case *ast.CaseClause, *ast.ReturnStmt:
		return true
	}
	return false
}

// others are what operators become.
var others = map[token.Token]string{
	token.LAND: "||", token.LOR: "&&", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.ADD: "-", token.SUB: "+", token.MUL: "/", token.QUO: "*", token.REM: "*",
}

var functions = map[token.Token]string{token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Div", token.REM: "Rem"}

func (m *mutator) binary(n *ast.BinaryExpr) {
	a, b, other := m.plain(n.X), m.plain(n.Y), others[n.Op]
	switch n.Op {
	case token.LAND, token.LOR:
		is := m.add(n, "%s %s %s → %s", a, n.Op, b, other)
		m.wrap(n, "("+is+" && (("+a+") "+other+" ("+b+")) || !"+is+" && (", "))")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		is := m.add(n, "%s %s %s → %s", a, n.Op, b, other)
		m.wrap(n, "((", ") != ("+is+" && ("+a+") == ("+b+")))")
		fallthrough
	case token.EQL, token.NEQ:
		m.wrap(n, "((", ") != "+m.add(n, "%s %s %s → not so", a, n.Op, b)+")")
	default:
		if function := functions[n.Op]; function != "" && m.isInteger(n) {
			m.add(n, "%s %s %s → %s", a, n.Op, b, other)
			m.wrap(n, fmt.Sprintf("mutant.%s(%d, ", function, len(*m.all)), ")")
			m.edits = append(m.edits, edit{int(n.OpPos) - m.base, len(n.Op.String()), ","})
		}
	}
}

func (m *mutator) isInteger(n ast.Expr) bool {
	basic, ok := m.info.TypeOf(n).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0
}

// statement adds mutants that omit a statement, or do the opposite.
func (m *mutator) statement(s ast.Stmt) {
	opposite, skip := "", false
	switch s := s.(type) {
	case *ast.ExprStmt:
		skip = strings.HasPrefix(m.plain(s), "panic(")
	case *ast.IncDecStmt:
		opposite = m.plain(s.X) + map[token.Token]string{token.INC: "--", token.DEC: "++"}[s.Tok]
	case *ast.AssignStmt:
		skip = s.Tok == token.DEFINE
		if s.Tok == token.ADD_ASSIGN && m.isInteger(s.Lhs[0]) {
			opposite = m.plain(s.Lhs[0]) + " -= " + m.plain(s.Rhs[0])
		}
	case *ast.BranchStmt:
		skip = s.Tok != token.BREAK && s.Tok != token.CONTINUE
	case *ast.ReturnStmt:
		skip = len(s.Results) > 0
	default:
		skip = true
	}
	if skip {
		return
	}
	first, _, _ := strings.Cut(m.plain(s), "\n")
	before := "if !" + m.add(s, "%s → omitted", first) + " { "
	if opposite != "" {
		before = "if " + m.add(s, "%s → %s", first, opposite) + " { " + opposite + " } else " + before
	}
	m.wrap(s, before, " }")
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
