package runner

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/contract"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/rule"
)

var update = flag.Bool("update", false, "write the tables of pages")

// The tables of pages are those of the rules and of the schema.
func TestTables(t *testing.T) {
	rules := load(t)
	wantTable(t, "tests/behavior.md", "gaps", differencesTable(rules, false))
	wantTable(t, "tests/behavior.md", "differences", differencesTable(rules, true))
	wantTable(t, "README.md", "config", configTable(t))
	wantText(t, "tests/rules/README.md", "fields", fieldTables(t))
}

// fieldTables has a table for each type of the language of rules, from its comments.
func fieldTables(t *testing.T) (text string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rule/fields.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		declared, ok := d.(*ast.GenDecl)
		if !ok || declared.Tok != token.TYPE {
			continue
		}
		of := declared.Specs[0].(*ast.TypeSpec)
		fields, ok := of.Type.(*ast.StructType)
		if !ok {
			continue
		}
		var rows [][]string
		var embedded []string
		intro := "**" + of.Name.Name + "**" + strings.TrimPrefix(oneLine(declared.Doc), of.Name.Name)
		for _, f := range fields.Fields.List {
			if f.Names == nil {
				embedded = append(embedded, "**"+f.Type.(*ast.Ident).Name+"**")
				continue
			}
			if f.Tag == nil {
				continue
			}
			tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
			if tag.Get("json") == "-" || tag.Get("field") == "-" {
				continue
			}
			meaning := strings.TrimPrefix(oneLine(f.Doc), f.Names[0].Name+" ")
			meaning = strings.TrimPrefix(strings.TrimPrefix(meaning, "is "), "are ")
			rows = append(rows, []string{"`" + tag.Get("json") + "`", meaning})
		}
		if embedded != nil {
			intro += " It also has the fields of " + strings.Join(embedded, ", ") + "."
		}
		if text += intro + "\n\n"; rows != nil {
			text += table(append([][]string{{"field", "meaning"}}, rows...)) + "\n"
		}
	}
	return strings.TrimSuffix(text, "\n")
}

func oneLine(comment *ast.CommentGroup) string {
	return strings.Join(strings.Fields(comment.Text()), " ")
}

// wantTable wants a table of a page to have these rows, the first of which is its head.
func wantTable(t *testing.T, file, name string, rows [][]string) {
	t.Helper()
	wantText(t, file, name, table(rows))
}

func table(rows [][]string) (text string) {
	dashes := slices.Repeat([]string{"---"}, len(rows[0]))
	for _, row := range slices.Insert(rows, 1, dashes) {
		text += "| " + strings.Join(row, " | ") + " |\n"
	}
	return text
}

// wantText wants a page to have this text between two marks.
func wantText(t *testing.T, file, name, want string) {
	t.Helper()
	page := filepath.Join(hosts.Root(), file)
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- "+name+": written by make matrix -->\n\n", "\n<!-- end of "+name+" -->"
	before, rest, _ := strings.Cut(string(b), begin)
	got, after, found := strings.Cut(rest, end)
	if !found {
		t.Fatalf("%s has no marks %s and %s", page, begin, end)
	}
	switch {
	case got == want:
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Error(err)
		}
	default:
		t.Errorf("the table %s of %s is not that of the rules or the schema: make matrix writes it", name, file)
	}
}

// configTable has the keys of the schema, in its order, with their descriptions there.
func configTable(t *testing.T) [][]string {
	t.Helper()
	keys, _, err := contract.Lists(hosts.Root())
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]string{{"field", "variable", "meaning"}}
	for _, key := range keys {
		rows = append(rows, []string{"`" + key.Name + "`", "`ROSTERING_" + strings.ToUpper(key.Name) + "`", key.Description})
	}
	return rows
}

// differencesTable has a row for each rule and reason, with the players that have it: those of libraries, or of raw hosts.
func differencesTable(rules []rule.Rule, libraries bool) [][]string {
	rows := [][]string{{"rule", "player", "why"}}
	for _, r := range rules {
		if (r.Text != "") != libraries {
			continue
		}
		players := map[string][]string{} // by reason
		add := func(differences map[string]string) {
			for _, player := range slices.Sorted(maps.Keys(differences)) {
				if why := differences[player]; !slices.Contains(players[why], player) {
					players[why] = append(players[why], player)
				}
			}
		}
		add(r.Differences)
		for _, c := range r.Cases {
			add(c.Differences)
		}
		for _, why := range slices.Sorted(maps.Keys(players)) {
			rows = append(rows, []string{"`" + r.Name + "`", strings.Join(players[why], ", "), why})
		}
	}
	return rows
}
