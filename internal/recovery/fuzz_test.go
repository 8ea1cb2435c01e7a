package recovery

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/fault"
	"verdict/internal/golden"
	"verdict/internal/wire"
)

func seed(f *testing.F, folder string, names ...string) {
	f.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("nothing to begin with: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			if document := golden.Section(archive, name); document != nil {
				f.Add(document)
			}
		}
	}
}

// refused checks that an error is a rejection with items, which a client may
// see.
func refused(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || len(e.Items) == 0 {
		t.Fatalf("refused without saying why: %v", err)
	}
}

// FuzzRead reads arbitrary bytes. The result must be a rejection with pointers,
// or a case for which Advise gives advice.
func FuzzRead(f *testing.F) {
	seed(f, "cases", "request.json")
	s := DefaultStrategy()
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		c, err := Read(v, time.Unix(1_800_000_000, 0))
		if err != nil {
			refused(t, err)
			return
		}
		a := Advise(&c, &s, c.AsOf)
		var w wire.Writer
		object{&a}.Write(&w)
		if _, err := wire.Parse(w.Buf); err != nil {
			t.Fatalf("%v: %s", err, w.Buf)
		}
		if rule := boundless(&c, &s, &a); rule != "" {
			t.Fatalf("%s: %s", rule, w.Buf)
		}
	})
}

// FuzzReadStrategy reads arbitrary strategies. The result must be a rejection
// with pointers, or a strategy that is the same after it is written and read.
// Advice under that strategy must follow the rules.
func FuzzReadStrategy(f *testing.F) {
	seed(f, "strategies", "request.json", "strategy.json")
	seed(f, "cases", "strategy.json")
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		s, err := ReadStrategy(v)
		if err != nil {
			refused(t, err)
			return
		}
		var first, second wire.Writer
		s.Write(&first)
		again, err := ReadStrategy(parse(t, first.Buf))
		if err != nil {
			t.Fatalf("%v: %s", err, first.Buf)
		}
		if again.Write(&second); string(first.Buf) != string(second.Buf) {
			t.Fatalf("read back as another:\n%s\n%s", first.Buf, second.Buf)
		}
		for dpd := 0; dpd < 200; dpd += 13 {
			asOf := monday.Add(time.Duration(dpd) * time.Hour)
			c := ordinary(asOf, dpd, dpd%2 == 0, NoChannel)
			a := Advise(c, &s, asOf)
			if rule := boundless(c, &s, &a); rule != "" {
				t.Fatalf("%s at DPD %d: %s", rule, dpd, first.Buf)
			}
		}
	})
}
