package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"strings"
)

// typeReader reads the declarations of the service's packages with their types. It
// leaves out function bodies and treats packages outside of this module as empty, so
// their types are invalid. That is enough to see where our own types are used, and
// takes a second instead of a minute.
type typeReader struct {
	tree  fs.FS
	files *token.FileSet
	read  map[string]*types.Package
}

func newTypeReader(tree fs.FS) *typeReader {
	return &typeReader{tree: tree, files: token.NewFileSet(), read: map[string]*types.Package{}}
}

// iterators declares the types of package iter, because their type arguments can
// be our own types.
const iterators = "package iter; type Seq[V any] func(func(V) bool); type Seq2[K, V any] func(func(K, V) bool)"

// Import implements types.Importer.
func (r *typeReader) Import(name string) (*types.Package, error) {
	if known := r.read[name]; known != nil {
		return known, nil
	}
	dir, ours := strings.CutPrefix(name, "verdict/")
	var files []*ast.File
	var err error
	switch {
	case ours:
		files, err = r.parse(dir)
	case name == "iter":
		var file *ast.File
		file, err = parser.ParseFile(r.files, "iter.go", iterators, 0)
		files = append(files, file)
	}
	if err != nil {
		return nil, err
	}

	settings := types.Config{Importer: r, IgnoreFuncBodies: true, Error: func(error) {}}
	// Ignore the errors: they come from uses of foreign packages, which are read as empty.
	p, _ := settings.Check(name, r.files, files, nil)
	p.MarkComplete()
	if !ours && name != "iter" {
		p.SetName(path.Base(name))
	}
	r.read[name] = p
	return p, nil
}

// parse reads the files of a package, without its tests.
func (r *typeReader) parse(dir string) ([]*ast.File, error) {
	entries, err := fs.ReadDir(r.tree, dir)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		source, err := fs.ReadFile(r.tree, dir+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(r.files, dir+"/"+e.Name(), source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// operations returns the signatures of the exported functions of a package and of
// the exported methods of its exported types, by name.
func operations(p *types.Package) map[string]*types.Signature {
	found := map[string]*types.Signature{}
	for _, name := range p.Scope().Names() {
		switch object := p.Scope().Lookup(name).(type) {
		case *types.Func:
			if object.Exported() {
				found[name] = object.Signature()
			}
		case *types.TypeName:
			named, is := object.Type().(*types.Named)
			if !is || !object.Exported() {
				continue
			}
			for method := range named.Methods() {
				if method.Exported() {
					found[name+"."+method.Name()] = method.Signature()
				}
			}
		}
	}
	return found
}
