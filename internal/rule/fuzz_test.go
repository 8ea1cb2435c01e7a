package rule_test

import (
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// FuzzReadCondition checks that arbitrary bytes are either rejected or are a
// condition that can be formatted, written, read back unchanged and evaluated.
func FuzzReadCondition(f *testing.F) {
	for _, row := range matrix {
		f.Add([]byte(row.condition))
	}
	f.Add([]byte(typical))
	var applications []*rule.Facts
	for _, document := range []string{
		`{}`, typicalFacts,
		`{
			"bureau_score":0,"age":-1,"monthly_income":1e12,"foir":-1e12,"applicant.bonus":0.000001,"bureau":"",
			"applicant.is_staff":true
		}`,
		`{"bureau_score":"650","age":true,"bureau":1,"employment_type":false,"bureau_is_ntc":"true"}`,
	} {
		v, err := wire.Parse([]byte(document))
		if err != nil {
			f.Fatal(err)
		}
		facts, err := rule.ReadFacts(v, catalogue)
		if err != nil {
			f.Fatal(err)
		}
		applications = append(applications, facts)
	}

	f.Fuzz(func(t *testing.T, data []byte) {
		const bound = time.Minute // reading takes milliseconds; the large bound avoids failures on a slow machine
		started := time.Now()
		defer func() {
			if took := time.Since(started); took > bound {
				t.Errorf("%d bytes took %s", len(data), took)
			}
		}()

		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		var faults fault.List
		c := rule.ReadCondition(v, stage2, &faults)
		if faults.Len() > 0 {
			for _, it := range faults.Items() {
				if it.Code == "" || it.Detail == "" {
					t.Errorf("a fault without words: %+v", it)
				}
			}
			return
		}
		if c.Text() == "" {
			t.Error("renders as nothing")
		}
		written := canonical(&c)
		again := rule.ReadCondition(parse(t, written), stage2, &faults)
		if err := faults.Err(); err != nil {
			t.Fatalf("%s\nwas written as %s\nwhich is refused: %v", data, written, err)
		}
		if back := canonical(&again); back != written {
			t.Errorf("written %s\n   then %s", written, back)
		}
		one, two := compile(&c), compile(&again)
		for _, facts := range applications {
			if a, b := one.eval(t, facts), two.eval(t, facts); a != b {
				t.Errorf("it %s, read back it %s: %s", name(a), name(b), written)
			}
		}
	})
}
