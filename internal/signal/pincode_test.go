package signal

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

func TestReadPincodeRisk(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		want    []PincodeRisk
		replace bool
	}{
		{`{"pincode":"400001","risk":"HIGH"}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskHigh, Score: rule.Int(80)}}, false},
		{`{"pincode":"400","risk":"BLOCKED"}`,
			[]PincodeRisk{{Pincode: "400", Risk: RiskBlocked, Score: rule.Int(100)}}, false},
		{`{"pincode":"400001","risk":0}`, []PincodeRisk{{Pincode: "400001", Risk: RiskLow}}, false},
		{`{"pincode":"400001","risk":33.99}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskLow, Score: 33_990_000}}, false},
		{`{"pincode":"400001","risk":34}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskMedium, Score: rule.Int(34)}}, false},
		{`{"pincode":"400001","risk":66.99}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskMedium, Score: 66_990_000}}, false},
		{`{"pincode":"400001","risk":67}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskHigh, Score: rule.Int(67)}}, false},
		{`{"pincode":"400001","risk":100}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskHigh, Score: rule.Int(100)}}, false},
		{`{"pincode":"400001","risk_score":50}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskMedium, Score: rule.Int(50)}}, false},
		{`{"pincode":"400001","risk":null}`, []PincodeRisk{{Pincode: "400001", Remove: true}}, false},
		{`{"pincode":"400001","risk":null,"risk_score":80,"reason":"r"}`,
			[]PincodeRisk{{Pincode: "400001", Remove: true}}, false},
		{
			`{
				"pincode":"400001","risk":"HIGH","risk_score":90,"reason":"roll-rate","updated_at":"x",
				"expires_at":"1970-01-01T00:00:01+00:00"
			}`,
			[]PincodeRisk{{
				Pincode:       "400001",
				Risk:          RiskHigh,
				Score:         rule.Int(90),
				Reason:        "roll-rate",
				ExpiresMicros: 1e6,
			}}, false,
		},
		{`{"entries":[]}`, nil, false},
		{`{"entries":[],"replace":true}`, nil, true},
		{
			`{"entries":[{"pincode":"400001","risk":"LOW"},{"pincode":"400","risk":null}],"replace":true}`,
			[]PincodeRisk{{Pincode: "400001", Risk: RiskLow, Score: rule.Int(20)}, {Pincode: "400", Remove: true}},
			true,
		},
	} {
		got, replace, err := ReadPincodeRisk(parse(t, c.text))
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" || replace != c.replace {
			t.Errorf("%s: replace %v, %s", c.text, replace, diff)
		}
	}
}

func TestReadPincodeRiskRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{`[]`, []string{" wrong_type"}},
		{`{}`, []string{"/pincode required", "/risk required"}},
		{`{"pincode":"4000","risk":"high"}`, []string{"/risk out_of_range"}},
		{`{"pincode":"40","risk":"HIGH"}`, []string{"/pincode out_of_range"}},
		{`{"pincode":"012345","risk":"HIGH"}`, []string{"/pincode out_of_range"}},
		{`{"pincode":"4000011","risk":"HIGH"}`, []string{"/pincode out_of_range"}},
		{`{"pincode":400001,"risk":"HIGH"}`, []string{"/pincode wrong_type"}},
		{`{"pincode":"400001","risk":100.01}`, []string{"/risk out_of_range"}},
		{`{"pincode":"400001","risk":-1}`, []string{"/risk out_of_range"}},
		{`{"pincode":"400001","risk":1.005}`, []string{"/risk out_of_range"}},
		{`{"pincode":"400001","risk":true}`, []string{"/risk wrong_type"}},
		{`{"pincode":"400001","risk":"LOW","risk_score":101}`, []string{"/risk_score out_of_range"}},
		{`{"pincode":"400001","risk":"LOW","expires_at":"tomorrow"}`, []string{"/expires_at out_of_range"}},
		{`{"pincode":"400001","risk":"LOW","expiry":"2027-01-01T00:00:00Z"}`, []string{"/expiry unknown_field"}},
		{`{"pincode":"400001","risk":"LOW","replace":true}`, []string{
			"/entries required", "/pincode unknown_field", "/risk unknown_field",
		}},
		{`{"entries":[{"pincode":"400001","risk":"LOW"},{"pincode":"400001","risk":"HIGH"},3]}`, []string{
			"/entries/1/pincode duplicate", "/entries/2 wrong_type",
		}},
		{`{"entries":[` + strings.Repeat(`{"pincode":"400001","risk":1},`, MaxPincodeEntries) + `1]}`,
			[]string{"/entries too_many"}},
	} {
		entries, _, err := ReadPincodeRisk(parse(t, c.text))
		if diff := cmp.Diff(c.want, refusals(err)); diff != "" || entries != nil {
			t.Errorf("%.80s: %d entries, %s", c.text, len(entries), diff)
		}
	}
}

func TestPincodeRiskIsShown(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]PincodeRisk{
		`{"pincode":"400001","risk":"HIGH","risk_score":80,"reason":"roll-rate",` +
			`"updated_at":"1970-01-01T00:00:01.000Z",` +
			`"expires_at":null}`: {
			Pincode: "400001", Risk: RiskHigh, Score: rule.Int(80), Reason: "roll-rate", UpdatedMicros: 1e6,
		},
		`{"pincode":"400","risk":"LOW","risk_score":33.5,"updated_at":"1970-01-01T00:00:01.000Z",` +
			`"expires_at":"1970-01-01T00:00:02.000Z"}`: {
			Pincode: "400", Risk: RiskLow, Score: 33_500_000, UpdatedMicros: 1e6, ExpiresMicros: 2e6,
		},
	} {
		if diff := cmp.Diff(want, written(p)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestPincodeTable(t *testing.T) {
	t.Parallel()
	table := NewPincodeTable([]PincodeRisk{
		{Pincode: "400", Risk: RiskMedium}, {Pincode: "400001", Risk: RiskBlocked}, {Pincode: "40000", Risk: RiskHigh},
		{Pincode: "400002", Risk: RiskLow, ExpiresMicros: 1000}, {Pincode: "500", Risk: RiskHigh},
		{Pincode: "500", Remove: true},
	})
	for _, c := range []struct {
		pincode  string
		atMicros int64
		want     Risk
	}{
		{"400001", 0, RiskBlocked},
		{"400003", 0, RiskHigh},
		{"400100", 0, RiskMedium},
		{"400002", 999, RiskLow},
		{"400002", 1000, RiskHigh},
		{"500001", 0, ""},
		{"110001", 0, ""},
		{"40", 0, ""},
	} {
		got, found := table.Lookup(c.pincode, c.atMicros)
		if got.Risk != c.want || found != (c.want != "") {
			t.Errorf("%s at %d: got %q, %v", c.pincode, c.atMicros, got.Risk, found)
		}
	}
	if _, found := (*PincodeTable)(nil).Lookup("400001", 0); found {
		t.Error("a table that is not there has an entry")
	}
}

// TestPincodeTableFindsTheLongest checks that the lookup finds the longest
// entry that is a prefix of the pincode.
func TestPincodeTableFindsTheLongest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prefixes := rapid.SliceOfDistinct(rapid.StringMatching(`[1-2][1-2]{2,5}`), rapid.ID[string]).Draw(t, "prefixes")
		pincode := rapid.StringMatching(`[1-2]{6}`).Draw(t, "pincode")
		var entries []PincodeRisk
		want := ""
		for _, p := range prefixes {
			entries = append(entries, PincodeRisk{Pincode: p, Risk: RiskHigh})
			if strings.HasPrefix(pincode, p) && len(p) > len(want) {
				want = p
			}
		}
		if got, _ := NewPincodeTable(entries).Lookup(pincode, 0); got.Pincode != want {
			t.Fatalf("%s: got %q, want %q", pincode, got.Pincode, want)
		}
	})
}

// FuzzReadPincodeRisk reads arbitrary bytes. The result must be a rejection
// with pointers, or entries that can be written and read back.
func FuzzReadPincodeRisk(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`,
		`{"pincode":"400001","risk":"HIGH","risk_score":80,"reason":"r","updated_at":"t","expires_at":null}`,
		`{"entries":[{"pincode":"400","risk":null},{"pincode":"4000","risk":33.5}],"replace":true}`,
		`{"pincode":"400001","risk":1e2,"expires_at":"2027-01-31T18:30:00.5+05:30"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		entries, _, err := ReadPincodeRisk(v)
		if err != nil {
			if len(refusals(err)) == 0 || entries != nil {
				t.Fatalf("refused without saying where: %v", err)
			}
			return
		}
		for _, e := range entries {
			if e.Remove {
				continue
			}
			again, _, err := ReadPincodeRisk(parse(t, written(e)))
			if err != nil {
				t.Fatalf("%s: %v", written(e), err)
			}
			if diff := cmp.Diff([]PincodeRisk{e}, again); diff != "" {
				t.Fatalf("%s: %s", written(e), diff)
			}
		}
	})
}

// TestCheckPincodeRisks checks that entries built in Go have the same faults as
// their JSON document.
func TestCheckPincodeRisks(t *testing.T) {
	t.Parallel()
	const document = `{"entries":[{"pincode":"400001","risk":"HIGH"},{"pincode":"0123","risk":"WILD"},
		{"pincode":"","risk":null},
		{"pincode":"400001","risk":20},{"pincode":"560","risk":"LOW","risk_score":100.01},{"pincode":"561"}]}`
	entries := []PincodeRisk{
		{Pincode: "400001", Risk: RiskHigh, Score: RiskHigh.Score()},
		{Pincode: "0123", Risk: "WILD"},
		{Remove: true},
		{Pincode: "400001", Risk: RiskLow, Score: rule.Int(20)},
		{Pincode: "560", Risk: RiskLow, Score: maxRisk + rule.Paisa},
		{Pincode: "561"},
	}
	var faults fault.List
	CheckPincodeRisks(&faults, entries)
	var got, want []string
	for _, item := range faults.Items() {
		got = append(got, item.Pointer)
	}
	_, _, err := ReadPincodeRisk(parse(t, document))
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	for _, item := range refusal.Items {
		want = append(want, item.Pointer)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-document +value):\n%s", diff)
	}
}
