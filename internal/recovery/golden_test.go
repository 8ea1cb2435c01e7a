package recovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"verdict/internal/fault"
	"verdict/internal/golden"
	"verdict/internal/wire"
)

// TestCases checks every testdata/cases/*.txtar file. The comment of a file
// says what the file shows. Its sections are the request, the strategy if it is
// not the default, and either the wanted advice or the wanted faults.
func TestCases(t *testing.T) {
	t.Parallel()
	archives(t, "cases", func(t *testing.T, given *txtar.Archive) []txtar.File {
		t.Helper()
		s := DefaultStrategy()
		if document := golden.Section(given, "strategy.json"); document != nil {
			var err error
			if s, err = ReadStrategy(parse(t, document)); err != nil {
				return faults(t, err)
			}
		}
		c, err := Read(parse(t, golden.Section(given, "request.json")), time.Date(2026, 11, 15, 15, 0, 0, 0, time.UTC))
		if err != nil {
			return faults(t, err)
		}
		advice := Advise(&c, &s, c.AsOf)
		return []txtar.File{{Name: "advice.json", Data: indented(t, object{&advice})}}
	})
}

// TestStrategies checks every testdata/strategies/*.txtar file. Its sections
// are the settings of a tenant, and either the wanted complete strategy or the
// wanted faults.
func TestStrategies(t *testing.T) {
	t.Parallel()
	archives(t, "strategies", func(t *testing.T, given *txtar.Archive) []txtar.File {
		t.Helper()
		s, err := ReadStrategy(parse(t, golden.Section(given, "request.json")))
		if err != nil {
			return faults(t, err)
		}
		var w wire.Writer
		s.Write(&w)
		again, err := ReadStrategy(parse(t, w.Buf))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		var second wire.Writer
		again.Write(&second)
		if diff := cmp.Diff(string(w.Buf), string(second.Buf)); diff != "" {
			t.Errorf("read back as another (-first +second):\n%s", diff)
		}
		return []txtar.File{{Name: "strategy.json", Data: indented(t, &s)}}
	})
}

func archives(t *testing.T, folder string, answer func(*testing.T, *txtar.Archive) []txtar.File) {
	t.Helper()
	answers := map[string]bool{"advice.json": true, "faults": true, "strategy.json": folder == "strategies"}
	answered := func(section string) bool { return answers[section] }
	golden.Archives(t, "testdata/"+folder+"/*.txtar", answered,
		func(t *testing.T, given, _ *txtar.Archive) []txtar.File {
			t.Helper()
			return answer(t, given)
		})
}

func parse(tb testing.TB, document []byte) wire.Value {
	tb.Helper()
	v, err := wire.Parse(document)
	if err != nil {
		tb.Fatalf("%v in\n%s", err, document)
	}
	return v
}

// object writes an advice as a separate object.
type object struct{ *Advice }

func (a object) Write(w *wire.Writer) {
	w.Object()
	a.WriteMembers(w)
	w.EndObject()
}

func indented(t *testing.T, document interface{ Write(*wire.Writer) }) []byte {
	t.Helper()
	var w wire.Writer
	document.Write(&w)
	var out bytes.Buffer
	if err := json.Indent(&out, w.Buf, "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), '\n')
}

func faults(t *testing.T, err error) []txtar.File {
	t.Helper()
	var refused *fault.Error
	if !errors.As(err, &refused) {
		t.Fatalf("not a fault: %v", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n", refused.Code)
	for _, item := range refused.Items {
		fmt.Fprintf(&out, "%s %s: %s\n", item.Pointer, item.Code, item.Detail)
	}
	return []txtar.File{{Name: "faults", Data: out.Bytes()}}
}
