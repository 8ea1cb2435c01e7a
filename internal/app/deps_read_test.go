package app

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// layer describes a package for the layers test.
type layer struct {
	dir     string // the path from the root of the repository
	imports []use
	clock   []use // where the package reads the clock
}

// use is a name that a package uses, with the file and line.
type use struct{ what, where string }

// clockReaders are the names of package time whose result depends on when or
// where the program runs.
var clockReaders = []string{
	"Now", "Since", "Until", "After", "AfterFunc", "NewTicker", "NewTimer", "Sleep", "Tick",
	"Local", "LoadLocation",
}

// harness is the nested module that the layers test reads too.
const harness = "proof"

// readLayers reads every package of the service and of the harness from its
// source. Files behind build tags count too; tests, testdata and other nested
// modules do not.
func readLayers(tree fs.FS) ([]layer, error) {
	byDir := map[string]*layer{}
	err := fs.WalkDir(tree, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if file != "." && skipped(tree, file) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		dir := path.Dir(file)
		if byDir[dir] == nil {
			byDir[dir] = &layer{dir: dir}
		}
		return byDir[dir].add(tree, file)
	})
	var layers []layer
	for _, l := range byDir {
		layers = append(layers, *l)
	}
	slices.SortFunc(layers, func(a, b layer) int { return cmp.Compare(a.dir, b.dir) })
	return layers, err
}

// skipped reports whether a folder is not part of the service or the harness.
func skipped(tree fs.FS, dir string) bool {
	base := path.Base(dir)
	if strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" {
		return true
	}
	if dir == harness {
		return false
	}
	_, err := fs.Stat(tree, dir+"/go.mod")
	return err == nil
}

// add records what a file imports and where it reads the clock.
func (l *layer) add(tree fs.FS, file string) error {
	source, err := fs.ReadFile(tree, file)
	if err != nil {
		return err
	}
	positions := token.NewFileSet()
	parsed, err := parser.ParseFile(positions, file, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	where := func(n ast.Node) string {
		p := positions.Position(n.Pos())
		return fmt.Sprintf("%s:%d", p.Filename, p.Line)
	}
	var clocks []string // the names under which this file imports package time
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		l.imports = append(l.imports, use{imported, where(spec)})
		switch {
		case imported != "time":
		case spec.Name == nil:
			clocks = append(clocks, "time")
		case spec.Name.Name == ".": // with a dot import any identifier could read the clock
			l.clock = append(l.clock, use{"*", where(spec)})
		default:
			clocks = append(clocks, spec.Name.Name)
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if selected, ok := n.(*ast.SelectorExpr); ok && slices.Contains(clockReaders, selected.Sel.Name) {
			if from, ok := selected.X.(*ast.Ident); ok && slices.Contains(clocks, from.Name) {
				l.clock = append(l.clock, use{selected.Sel.Name, where(selected)})
			}
		}
		return true
	})
	return nil
}
