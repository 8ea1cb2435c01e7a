package wire_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestFree checks that freeing and reusing memory changes neither the texts of
// the freed document nor documents that are parsed concurrently.
func TestFree(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for _, letter := range []string{"a", "b", "c", "d"} {
		group.Go(func() {
			for n := range 200 {
				want := strings.Repeat(letter, 1+n%7)
				v, err := wire.Parse([]byte(`{"list":[{"text":"` + want + `","n":1},{"text":"` + want + `","n":2}]}`))
				if err != nil {
					t.Error(err)
					return
				}
				var texts []string
				for _, element := range v.Get("list").Elements() {
					texts = append(texts, element.Get("text").Text())
				}
				v.Free()
				if len(texts) != 2 || texts[0] != want || texts[1] != want {
					t.Errorf("got %q, want %q twice", texts, want)
				}
			}
		})
	}
	group.Wait()
	wire.Value{}.Free()
}

// TestFreedIsUnusable checks that reading a value of a freed document panics
// instead of returning data of another document.
func TestFreedIsUnusable(t *testing.T) {
	t.Parallel()
	v, err := wire.Parse([]byte(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	v.Free()
	defer func() {
		if recover() == nil {
			t.Error("a freed document was read")
		}
	}()
	v.Get("a")
}

// TestParseAllocations checks that the number of allocations does not grow with
// the size of the document. Parsing allocates the text, the nodes and the
// document itself, and reuses freed nodes.
//
//nolint:paralleltest // AllocsPerRun counts for the whole process
func TestParseAllocations(t *testing.T) {
	data := []byte("[" + strings.Repeat(`{"date":"2026-11-15","amount":12.5,"note":null},`, 2000) + "1]")
	got := testing.AllocsPerRun(20, func() {
		v, err := wire.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		v.Free()
	})
	if got > 6 {
		t.Errorf("%v allocations", got)
	}
}

// TestPattern checks objects that begin like the previous object and then
// differ. They must be accepted or rejected like any other object.
func TestPattern(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`[{"a":1,"b":2},{"a":3,"b":4}]`:             "",
		`[{"a":1,"b":2},{"a":3,"b":4,"c":5}]`:       "",
		`[{"a":1,"b":2,"c":3},{"a":3}]`:             "",
		`[{"a":1,"b":2},{"b":3,"a":4}]`:             "",
		`[{"a":1,"b":2}, {"a" : 3 , "b" : 4 } ]`:    "",
		`[{"a":1,"b":2},{"a":3,"a":4}]`:             "/1/a",
		`[{"a":1,"b":2},{"a":3,"b":4,"a":5}]`:       "/1/a",
		`[{"a":1,"b":2},{"a":3,"b":4,"b":5}]`:       "/1/b",
		`[{"a":1,"b":2},{"a":3,"\u0061":4}]`:        "/1/a",
		`[{"\u0061":1,"b":2},{"\u0061":3,"a":4}]`:   "/1/a",
		`[{"a":{"x":1}},{"a":{"x":1,"y":2,"x":3}}]`: "/1/a/x",
		`[{"":1},{"":2,"":3}]`:                      "/1/",
	} {
		v, err := wire.Parse([]byte(document))
		got := pointerOf(err)
		if got != want {
			t.Errorf("%s: refused at %q, want %q (%v)", document, got, want, err)
		}
		if err != nil {
			continue
		}
		var w wire.Writer
		w.Value(v)
		if strings.ReplaceAll(document, " ", "") != string(w.Buf) {
			t.Errorf("%s was read as %s", document, w.Buf)
		}
	}
}

// pointerOf returns the pointer of a rejection, or "" if there is none.
func pointerOf(err error) string {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || len(refusal.Items) == 0 {
		return ""
	}
	return refusal.Items[0].Pointer
}
