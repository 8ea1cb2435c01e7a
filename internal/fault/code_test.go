package fault_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// vocabularies lists the files that own codes. A code may be written as a literal only in the file that owns it. The
// test searches for such literals in all other files below the directory "within".
var vocabularies = []struct {
	file, within string
	name         *regexp.Regexp // matches the names of the constants
}{
	{"internal/fault/code.go", ".", regexp.MustCompile(`^Code`)},
	{"internal/fault/code_finding.go", ".", regexp.MustCompile(`^Code`)},
	{"internal/fault/code_warning.go", ".", regexp.MustCompile(`^Code`)},
	{"internal/training/code.go", "internal/training", regexp.MustCompile(`^code`)},
	{"internal/recovery/hold.go", "internal/recovery", regexp.MustCompile(`^hold`)},
	{"internal/agent/narration.go", "internal/agent", regexp.MustCompile(`^prose`)},
	{"internal/signal/fraud.go", "internal/signal", regexp.MustCompile(`^Reason`)},
}

// otherMeanings lists, by file, the words that equal a code but mean something else in that file, such as the name
// of a member or of a column.
var otherMeanings = map[string][]string{
	"internal/agent/narration.go":      {"unavailable"},              // a reason why prose was not used
	"internal/backtest/book.go":        {"bad_month"},                // a column
	"internal/backtest/setup_store.go": {"encoding"},                 // a JSON member
	"internal/console/alert_page.go":   {"duplicate"},                // a resolution of an alert
	"internal/batchdesk/row.go":        {"not_found", "unavailable"}, // stored names of kinds
	"internal/console/field.go":        {"required"},                 // an attribute in HTML
	"internal/demo/measure.go":         {"bad_month"},                // a column
	"internal/document/list.go":        {"not_found"},                // a JSON member
	"internal/document/policy_diff.go": {"erased"},                   // a JSON member
	"internal/document/privacy.go":     {"erased"},                   // a JSON member
	"internal/frauddesk/alert.go":      {"duplicate"},                // a resolution of an alert
	"internal/httpapi/health.go":       {"unavailable"},              // a state of readiness
	"internal/reference/schema.go":     {"required"},                 // a member of OpenAPI
	"internal/reference/view.go":       {"required"},                 // a member of OpenAPI
	"internal/store/alert.go":          {"duplicate"},                // a resolution of an alert
	"internal/training/identifier.go":  {"identifier"},               // a name of a column
	"internal/training/write.go":       {"sign_reversal"},            // a JSON member
}

// strangers lists the programs of this repository that are clients of the API.
// They write codes as literals, so that they fail if a code changes.
var strangers = []string{"bench", "clients", "proof"}

// TestCodesHaveOneOwner checks that no code is written as a literal outside the
// file that owns the code, and that no refusal or item has a literal as its
// code.
func TestCodesHaveOneOwner(t *testing.T) {
	t.Parallel()
	files := sources(t)
	if len(files) < 300 {
		t.Fatalf("only %d files were found: the walk did not begin at the module's root", len(files))
	}
	used := map[string][]string{}
	owned := 0
	for _, v := range vocabularies {
		codes := constants(files[v.file], v.name)
		if len(codes) < 1 {
			t.Errorf("%s has no constants named %s", v.file, v.name)
		}
		owned += len(codes)
		for name, file := range files {
			if name == v.file || v.within != "." && !strings.HasPrefix(name, v.within+"/") {
				continue
			}
			for _, l := range literals(file) {
				switch {
				case codes[l.text] == "":
				case slices.Contains(otherMeanings[name], l.text):
					used[name] = append(used[name], l.text)
				default:
					t.Errorf("%s:%d: %q is written as text; use %s of %s", name, l.line, l.text, codes[l.text], v.file)
				}
			}
		}
	}
	if owned < 150 {
		t.Errorf("only %d codes were found", owned)
	}
	for name, words := range otherMeanings {
		for _, word := range words {
			if !slices.Contains(used[name], word) {
				t.Errorf("otherMeanings allows %q in %s, where it is not written any more", word, name)
			}
		}
	}
	for name, file := range files {
		for _, l := range spelled(file) {
			t.Errorf("%s:%d: the code %q is written as text; give it a constant in internal/fault",
				name, l.line, l.text)
		}
	}
}

// TestCodesAreNamedAlike checks that the name of each constant of this package
// matches its code, and that no two of its files define the same code.
func TestCodesAreNamedAlike(t *testing.T) {
	t.Parallel()
	files := sources(t)
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	seen := map[string]string{}
	for _, v := range vocabularies[:3] {
		for code, name := range constants(files[v.file], v.name) {
			if plain(strings.TrimPrefix(name, "Code")) != plain(code) {
				t.Errorf("%s is %q", name, code)
			}
			if seen[code] != "" {
				t.Errorf("%q is in %s and in %s", code, seen[code], v.file)
			}
			seen[code] = v.file
		}
	}
}

// TestWrittenCodesAreFound checks that the helper spelled finds every literal
// that is used as a code, and that the helper literals skips struct tags.
func TestWrittenCodesAreFound(t *testing.T) {
	t.Parallel()
	const source = `package p
import "verdict/internal/fault"
type tagged struct { A int ` + "`json:\"not_found\"`" + ` }
var _ = fault.New(fault.NotFound, "brand_new", "is not here")
func f(l *fault.List) {
	l.Add("/a", "brand_new", "is wrong")
	l.AddItem(fault.Item{Code: "brand_new"})
	l.Add("/a", fault.CodeRequired, "is needed")
}
`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	parsed := sourceFile{file: file, set: set}
	if got := spelled(parsed); len(got) != 3 {
		t.Errorf("%d codes found, not 3: %v", len(got), got)
	}
	for _, l := range literals(parsed) {
		if strings.Contains(l.text, "not_found") {
			t.Error("a struct tag counts as a text")
		}
	}
}

type sourceFile struct {
	file *ast.File
	set  *token.FileSet
}

type literal struct {
	text string
	line int
}

// sources parses the module's own files except tests, which write expected
// codes as literals.
func sources(t *testing.T) map[string]sourceFile {
	t.Helper()
	root := os.DirFS("../..")
	files := map[string]sourceFile{}
	set := token.NewFileSet()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".") ||
			slices.Contains(strangers, name)):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		files[name] = sourceFile{file: file, set: set}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// constants returns the names of a file's constants that match name, keyed by
// their values.
func constants(f sourceFile, name *regexp.Regexp) map[string]string {
	found := map[string]string{}
	if f.file == nil {
		return found
	}
	for _, d := range f.file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			spec := s.(*ast.ValueSpec)
			for i, id := range spec.Names {
				if !name.MatchString(id.Name) || i >= len(spec.Values) {
					continue
				}
				if text, ok := unquoted(spec.Values[i]); ok {
					found[text] = id.Name
				}
			}
		}
	}
	return found
}

// literals returns all string literals of a file except imports and struct
// tags.
func literals(f sourceFile) (list []literal) {
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			ast.Inspect(n.Type, visit)
			return false
		case *ast.BasicLit:
			if text, ok := unquoted(n); ok {
				list = append(list, literal{text, f.set.Position(n.Pos()).Line})
			}
		}
		return true
	}
	ast.Inspect(f.file, visit)
	return list
}

// spelled returns the string literals that a file uses as codes: in fault.New,
// in Add and Fail of a list or a form, and in fault.Item and fault.Error.
func spelled(f sourceFile) (list []literal) {
	note := func(e ast.Expr) {
		if text, ok := unquoted(e); ok {
			list = append(list, literal{text, f.set.Position(e.Pos()).Line})
		}
	}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) >= 3 {
				if isFault(s, "New") || s.Sel.Name == "Add" || s.Sel.Name == "Fail" {
					note(n.Args[1])
				}
			}
		case *ast.CompositeLit:
			if s, ok := n.Type.(*ast.SelectorExpr); !ok || !isFault(s, "Item") && !isFault(s, "Error") {
				return true
			}
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == "Code" {
					note(kv.Value)
				}
			}
		}
		return true
	})
	return list
}

func isFault(s *ast.SelectorExpr, name string) bool {
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == "fault" && s.Sel.Name == name
}

func unquoted(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}
