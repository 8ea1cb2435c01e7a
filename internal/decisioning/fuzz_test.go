package decisioning

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// refusedWell checks that an error is a refusal that a client can be told.
func refusedWell(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code == "" || len(refusal.Items) > fault.MaxItems {
		t.Fatalf("not a refusal: %v", err)
	}
}

// FuzzCursor hands in anybody's cursor: it is refused, or is one of ours at a
// place that a list can go on from, and then it is spelt as we spell it.
func FuzzCursor(f *testing.F) {
	who := tenant.Principal{TenantID: "ten_1", Environment: tenant.Sandbox}
	l := operation.List{Limit: 10}
	id := tenant.FirstID(tenant.KindDecision, time.Unix(1_800_000_000, 0))
	f.Add(l.CursorAfter(who, []string{"decisions"}, "\x00\x06\x00\x00\x00\x00\x00\x00"+id))
	f.Add(l.CursorAfter(who, []string{"blocked"}, "2026-11-15T06:00:00Z ip 00ff"))
	f.Add(l.CursorAfter(who, []string{"decisions"}, "x"))
	f.Add("====")
	f.Add("")
	f.Fuzz(func(t *testing.T, cursor string) {
		l := operation.List{Limit: 10, Cursor: cursor}
		if page, err := l.Page(who, "decisions"); err != nil {
			refusedWell(t, err)
		} else if cursor != "" && (page.AfterID == "" || l.CursorAfter(who, []string{"decisions"}, mustPlace(t, l, who)) != cursor) {
			t.Errorf("%q leads to %+v", cursor, page)
		}
		stranger := who
		stranger.TenantID = "ten_2"
		if _, err := l.Page(stranger, "decisions"); cursor != "" && err == nil {
			if _, err := l.Page(who, "decisions"); err == nil {
				t.Errorf("%q is two tenants' cursor", cursor)
			}
		}
		if place, err := l.After(who, []string{"blocked"}); err == nil && place != "" {
			if b, err := readBlockedCursor(place); err == nil && (b.Entity.Kind == "" || b.Entity.Key == "") {
				t.Errorf("%q leads to %+v", cursor, b)
			}
		}
	})
}

func mustPlace(t *testing.T, l operation.List, who tenant.Principal) string {
	t.Helper()
	place, err := l.After(who, []string{"decisions"})
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// FuzzOverrides previews anybody's body with anybody's changes: a refusal, or a
// body in which every change stands at its place.
func FuzzOverrides(f *testing.F) {
	f.Add([]byte(`{"applicant":{"foir":0.3,"id":"A"},"bureau_report":{"score":700}}`), []byte(`{"applicant.foir":0.4,"bureau_report.score":null,"device.is_rooted":true}`))
	f.Add([]byte(`{"bureau":"x","report":{"x":{"scoreData":{"score":700}}}}`), []byte(`{"report.scoreData.score":750,"report.x.a.b":"c"}`))
	f.Add([]byte(`{"applicant":7}`), []byte(`{"applicant.a":1,"applicant.a.b":2,"fraud..x":3,"purpose":"x"}`))
	f.Fuzz(func(t *testing.T, body, overrides []byte) {
		b, err := wire.Parse(body)
		if err != nil {
			return
		}
		o, err := wire.Parse(overrides)
		if err != nil || o.Kind() != wire.Object {
			return
		}
		changed, err := overridden(b, o)
		if err != nil {
			refusedWell(t, err)
			return
		}
		for path, want := range o.Members() {
			got := changed
			parts := strings.Split(path, ".")
			if bureau, ok := onlyKey(b.Get("report")); parts[0] == "report" && ok && parts[1] != bureau {
				parts = append([]string{"report", bureau}, parts[1:]...)
			}
			for _, name := range parts {
				got = got.Get(name)
			}
			if got.Given() != want.Given() || want.Given() && !same(got, want) {
				t.Errorf("%s is %v in %s with %s", path, got.Text(), body, overrides)
			}
		}
	})
}

// FuzzBodies reads anybody's bytes as every small document that a use case
// takes or that storage holds. What is refused is refused in words; nothing
// else may happen.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"comment":"x","effective_from":"2026-11-15T00:00:00Z"}`, `{"status":"closed","resolution":"confirmed_fraud","note":"x"}`, `{"outcome":"approve","note":"x"}`,
		`{"name":"card","label":"bad","csv":"a,b\n1,0\n","features":["a"]}`, `{"rule_set_id":"rs_1","overrides":{},"compare":true}`,
		`{"name":"x","base_points":600,"factors":[]}`, `{"inputs":[{"foir":0.3}]}`, `{"inputs":{"foir":0.3}}`, `[{"key":"k","display":"d"}]`,
		`{"op":"eq","field":"foir","value":1}`,
	} {
		f.Add([]byte(seed))
	}
	readers := map[string]func(wire.Value) error{
		"activation": func(v wire.Value) error { _, err := readActivation(v); return err },
		"move":       func(v wire.Value) error { _, err := readMove(v, time.Unix(1_794_700_000, 0)); return err },
		"review":     func(v wire.Value) error { _, err := readReview(v); return err },
		"fit":        func(v wire.Value) error { _, err := readFit(v, nil); return err },
		"what-if":    func(v wire.Value) error { _, err := readWhatIf(v); return err },
		"scorecard":  func(v wire.Value) error { _, err := readNamed(v); return err },
		"inputs":     func(v wire.Value) error { _, _, err := readInputs(v, &engine.Scorecard{}); return err },
		"condition":  func(v wire.Value) error { _, _, err := CheckCondition(v, v, 2, true); return err },
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if accounts, err := readAccounts(data); err == nil && len(accounts) > len(data) {
			t.Errorf("%d accounts in %d bytes", len(accounts), len(data))
		}
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		for name, read := range readers {
			var refusal *fault.Error
			if err := read(v); err != nil && (!errors.As(err, &refusal) || len(refusal.Items) > fault.MaxItems) {
				t.Errorf("%s: not a refusal: %v", name, err)
			}
		}
	})
}

// FuzzStoredFacts reads facts as they are stored: refused, or written back as
// what reads the same again.
func FuzzStoredFacts(f *testing.F) {
	f.Add([]byte(`{"foir":0.32,"employment_type":"SALARIED","bureau_is_ntc":false,"applicant.x":1.5}`))
	f.Add([]byte(`{"foir":1e-7,"x":"\ud800"}`))
	f.Fuzz(func(t *testing.T, document []byte) {
		facts, err := readFacts(document)
		if err != nil {
			return
		}
		var first, second wire.Writer
		facts.Write(&first)
		again, err := readFacts(first.Buf)
		if err != nil {
			t.Fatalf("%v in %s", err, first.Buf)
		}
		if again.Write(&second); !bytes.Equal(first.Buf, second.Buf) {
			t.Fatalf("%s became %s", first.Buf, second.Buf)
		}
	})
}

// FuzzBacktestOptions turns anybody's texts into the options of a backtest: a
// refusal, or an object with nothing that was not asked for.
func FuzzBacktestOptions(f *testing.F) {
	f.Add("cibil=score,income=monthly_income", "1, yes", "0.45", "rs_1", `{}`)
	f.Add(`{"a":"b"}`, ",", "1e3", "\xff", `{"csv":"x","map":null}`)
	f.Add("a=b,a=c,=", "", "0x10", `"`, `[]`)
	f.Fuzz(func(t *testing.T, columns, values, number, text, body string) {
		v, err := wire.Parse([]byte(body))
		if err != nil {
			v = wire.Value{}
		}
		given := map[string]string{"map": columns, "bad_values": values, "lgd": number}
		for _, name := range BacktestMembers() {
			if _, taken := given[name]; !taken {
				given[name] = text
			}
		}
		options, err := BacktestOptions(given, v)
		if err != nil {
			refusedWell(t, err)
			return
		}
		for name, text := range given {
			if !options.Get(name).Given() && !(name == "map" && text == "null") {
				t.Errorf("%s was lost: %q", name, text)
			}
		}
		if options.Kind() != wire.Object || options.Len() > len(given)+v.Len() {
			t.Errorf("there is more than was given: %d members", options.Len())
		}
	})
}

// FuzzUnpacked unpacks anybody's file: as it is, as gzip reads it, or refused
// in our words; never more than is read from it.
func FuzzUnpacked(f *testing.F) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte("a,b\n1,2\n")) // memory does not fail
	_ = w.Close()
	f.Add(packed.Bytes(), true)
	f.Add(packed.Bytes()[:packed.Len()-5], false)
	f.Add(append(bytes.Clone(packed.Bytes()), packed.Bytes()...), false)
	f.Add([]byte("a,b\n"), true)
	f.Add([]byte("\x1f"), false)
	f.Fuzz(func(t *testing.T, data []byte, claimed bool) {
		r, err := Unpacked(bytes.NewReader(data), claimed)
		if err != nil {
			refusedWell(t, err)
			return
		}
		const most = 1 << 20
		got, err := io.ReadAll(io.LimitReader(r, most))
		if err != nil {
			refusedWell(t, err)
			return
		}
		if !bytes.HasPrefix(data, []byte("\x1f\x8b")) && !bytes.Equal(got, data[:min(len(data), most)]) {
			t.Errorf("%q became %q", data, got)
		}
	})
}
