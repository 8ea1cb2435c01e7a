package app

import (
	"go/types"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// valuePackages are the packages whose exported operations take and
// return Go values (ADR 22).
var valuePackages = []string{
	"account", "policydesk", "frauddesk", "listdesk", "tabledesk", "offerdesk", "exposuredesk", "decisioning",
	"batchdesk", "evidencedesk", "eventdesk", "webhookdesk", "agentdesk", "privacydesk", "study",
	"agent",
}

// storeHandles are the types of store through which packages share a transaction or a
// database. They may be parameters.
var storeHandles = []string{"DB", "Scope", "Tx"}

// notYetValues lists the operations that still expose JSON or a struct of store.
// The test fails for an entry that is no longer needed.
var notYetValues = []string{
	"agent.NewRequest",
	"listdesk.Damage",
	"listdesk.DefaultCaps",
	"listdesk.New",
	"listdesk.UsersOf",
	"offerdesk.Service.Replaced",
	"tabledesk.DefaultCaps",
	"tabledesk.New",
}

// TestOperationsAreValues checks that no exported operation shows wire.Value,
// wire.Writer or a struct of store, not even in the exported fields of its parameters
// and results.
func TestOperationsAreValues(t *testing.T) {
	t.Parallel()
	found, err := notValues(os.DirFS("../.."), valuePackages)
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(notYetValues, operation) {
			t.Errorf("%s shows %s; see docs/adr/0022-go-values.md", operation, strings.Join(found[operation], ", "))
		}
	}
	for _, operation := range notYetValues {
		if found[operation] == nil {
			t.Errorf("%s takes and returns Go values now: remove it from notYetValues", operation)
		}
	}
}

// TestOperationsAreValuesChecker runs the checker on small packages. If want is "",
// it must find nothing.
func TestOperationsAreValuesChecker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, source, want string }{
		{"values", `type S struct{}; func (s *S) Do(ctx context.Context, n int) (string, error)`, ""},
		{"a value in", `func Do(v wire.Value)`, "wire.Value"},
		{"a writer in", `type S struct{}; func (s S) Write(w *wire.Writer)`, "wire.Writer"},
		{"a value out", `func Do() ([]wire.Value, error)`, "wire.Value"},
		{"a record in", `func Do(r store.Row)`, "store.Row"},
		{"a record out", `func Do() map[string]*store.Row`, "store.Row"},
		{"a handle in", `func Do(tx *store.Tx)`, ""}, {"a handle out", `func Do() *store.Tx`, "store.Tx"},
		{"a constant's type of store", `func Do() store.Status`, ""},
		{"in a field", `type R struct{ Row store.Row }; func Do() R`, "store.Row"},
		{
			"in a field of a field",
			`type R struct{ In []In }; type In struct{ V wire.Value }; func Do() R`,
			"wire.Value",
		},
		{"in an embedded field", `type R struct{ store.Row }; func Do() R`, "store.Row"},
		{"under another name", `type R store.Row; func Do() R`, "a struct of store"},
		{"in an unexported field", `type R struct{ row store.Row }; func Do() R`, ""},
		{"in a type argument", `type P[T any] struct{ Data []T }; func Do() P[store.Row]`, "store.Row"},
		{"in a callback", `func Do(f func(wire.Value) error)`, "wire.Value"},
		{"in an iterator", `func Do() iter.Seq[store.Row]`, "store.Row"},
		{"in an interface", `type W interface{ Write(*wire.Writer) }; func Do() W`, "wire.Writer"},
		{"recursive", `type R struct{ Next *R }; func Do() R`, ""},
		{"unexported function", `func do(v wire.Value)`, ""},
		{"method of an unexported type", `type s struct{}; func (s) Do(v wire.Value)`, ""},
		{"inside a document", `func Do(d engine.Draft)`, ""},
	} {
		tree := fstest.MapFS{
			"internal/wire/a.go": {Data: []byte("package wire; type Value struct{}; type Writer struct{}")},
			"internal/store/a.go": {
				Data: []byte("package store; type Row struct{ ID string }; type Tx struct{}; type Status string"),
			},
			"internal/engine/a.go": {
				Data: []byte(`package engine; import "verdict/internal/wire"; type Draft struct{ V wire.Value }`),
			},
			"internal/account/a.go": {
				Data: []byte(`package account; import ("context"; "iter"; "verdict/internal/engine"; ` +
					`"verdict/internal/store"; "verdict/internal/wire"); ` + c.source),
			},
		}
		found, err := notValues(tree, []string{"account"})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(slices.Concat(slices.Collect(maps.Values(found))...), ", ")
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// notValues returns the operations of packages that show JSON or storage, each with the types that it shows.
func notValues(tree fs.FS, packages []string) (map[string][]string, error) {
	reader := newTypeReader(tree)
	found := map[string][]string{}
	for _, name := range packages {
		p, err := reader.Import("verdict/internal/" + name)
		if err != nil {
			return nil, err
		}
		for operation, signature := range operations(p) {
			shown := &shown{seen: map[types.Type]bool{}}
			shown.tuple(signature.Results())
			shown.mayHandle = true
			shown.tuple(signature.Params())
			if len(shown.found) > 0 {
				found[name+"."+operation] = slices.Compact(slices.Sorted(slices.Values(shown.found)))
			}
		}
	}
	return found, nil
}

// shown collects the types of JSON or storage that a signature shows.
type shown struct {
	seen      map[types.Type]bool
	mayHandle bool // set while parameters are examined: they may be handles
	found     []string
}

func (s *shown) tuple(t *types.Tuple) {
	for v := range t.Variables() {
		s.look(v.Type())
	}
}

// look examines a type and every type that a caller can reach through it.
func (s *shown) look(t types.Type) {
	if s.seen[t] {
		return
	}
	s.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		s.look(types.Unalias(t))
	case *types.Named:
		s.named(t)
	case *types.Struct:
		for f := range t.Fields() {
			if f.Pkg().Path() == "verdict/internal/store" { // a type such as: type Alert store.Alert
				s.found = append(s.found, "a struct of store")
				return
			}
			if f.Exported() {
				s.look(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			s.look(m.Signature())
		}
	case *types.Signature:
		s.tuple(t.Params())
		s.tuple(t.Results())
	case *types.Map:
		s.look(t.Key())
		s.look(t.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		s.look(t.Elem())
	}
}

func (s *shown) named(t *types.Named) {
	for a := range t.TypeArgs().Types() {
		s.look(a)
	}
	if t.Obj().Pkg() == nil {
		return
	}
	owner, name := packageName(strings.TrimPrefix(t.Obj().Pkg().Path(), "verdict/")), t.Obj().Name()
	_, structured := t.Underlying().(*types.Struct)
	at := slices.IndexFunc(packageRules, func(r packageRule) bool { return r.name == owner })
	switch {
	case owner == "wire" && (name == "Value" || name == "Writer"):
		s.found = append(s.found, "wire."+name)
	case owner == "store":
		if structured && !(s.mayHandle && slices.Contains(storeHandles, name)) {
			s.found = append(s.found, "store."+name)
		}
	case at < 0 || packageRules[at].kind == pure:
		// Types of the pure ring, such as documents, are values. Packages outside the table are not examined.
	default:
		s.look(t.Underlying())
	}
}
