package document_test

import (
	"errors"
	"testing"
	"time"

	"verdict/internal/document"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzBodies reads arbitrary bytes as each request. A refusal must be a fault with
// a bounded number of items.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"status":"closed","resolution":"confirmed_fraud","note":"x","block":[{"kind":"ip","key":"k"}]}`,
		`{"kind":"ip","value":"203.0.113.7","reason":"x","expires_at":"2027-01-31T18:30:00Z"}`,
		`{"entries":[{"pincode":"400001","risk":"HIGH"}],"replace":true}`,
		`{"fraud":{"ring":{"enabled":false}}}`,
		`{"outcome":"approve","note":"x"}`,
		`{"comment":"x","effective_from":"2026-11-15T00:00:00Z"}`,
		`{"note":"x","acknowledge":["code@/knockouts/KO_A",7]}`,
		`{"op":"eq","field":"foir","value":1}`,
		`{"name":"card","label":"bad","csv":"a,b\n1,0\n","features":["a"]}`,
		`{"rows":[{"a":1,"b":{"c":"x"}}],"map":{"a":"score"},"lgd":0.45,"rule_set_id":""}`,
		`{"synthetic":{"n":10,"seed":7,"bad_rate":0.1},"challenger_rule_set_id":"rs_1"}`,
		`{"decisions":{"from":"2026-11-01T00:00:00Z","status":"APPROVED"},"reference_backtest_id":"bt_1"}`,
		`{"name":"x","base_points":600,"factors":[]}`,
		`{"base_points":600,"factors":[],"inputs":[{"foir":0.3}]}`,
		`{"scorecard_id":"sc_1","inputs":{"foir":0.3}}`,
		`{"rule_set_id":"rs_1","overrides":{},"compare":true}`,
	} {
		f.Add([]byte(seed))
	}
	now := time.Unix(1_794_700_000, 0)
	readers := map[string]func(wire.Value) error{
		"move":       func(v wire.Value) error { _, err := document.ReadAlertMove(v, now); return err },
		"block":      func(v wire.Value) error { _, err := document.ReadBlock(v, now); return err },
		"pincodes":   func(v wire.Value) error { _, err := document.ReadPincodeRisks(v); return err },
		"review":     func(v wire.Value) error { _, err := document.ReadReview(v); return err },
		"condition":  func(v wire.Value) error { _, _, err := document.CheckCondition(v, v, nil, 2, true); return err },
		"comparison": func(v wire.Value) error { _, err := document.ReadComparison(v, now); return err },
		"activation": func(v wire.Value) error { _, err := document.ReadActivation(v); return err },
		"patch":      func(v wire.Value) error { _, err := document.ReadConfigPatch(v); return err },
		"fit":        func(v wire.Value) error { _, err := document.ReadFit(v); return err },
		"backtest":   func(v wire.Value) error { _, err := document.ReadBacktest(v, 1000, now); return err },
		"what-if":    func(v wire.Value) error { _, err := document.ReadWhatIf(v); return err },
		"strategy":   func(v wire.Value) error { _, err := document.ReadStrategyPatch(v); return err },
		"scorecard":  func(v wire.Value) error { _, err := document.ReadScorecard(v); return err },
		"scoring":    func(v wire.Value) error { _, err := document.ReadScoring(v); return err },
		"applicants": func(v wire.Value) error {
			_, _, err := engine.NewApplicants(v.Get("input"), v.Get("inputs")).Read(&engine.Scorecard{})
			return err
		},
	}
	f.Fuzz(func(t *testing.T, data []byte) {
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

// FuzzBacktestOptions turns arbitrary texts into the options of a backtest. The result is a refusal, or an object with
// all given members.
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
		for _, name := range document.BacktestMembers() {
			if _, taken := given[name]; !taken {
				given[name] = text
			}
		}
		options, err := document.BacktestOptions(given, v)
		if err != nil {
			refusedWell(t, err)
			return
		}
		for name, text := range given {
			if !options.Get(name).Given() && !(name == "map" && text == "null") {
				t.Errorf("%s was lost: %q", name, text)
			}
		}
		if _, err := document.ReadBacktestOptions(options); err != nil {
			refusedWell(t, err)
		}
		if options.Kind() != wire.Object || options.Len() > len(given)+v.Len() {
			t.Errorf("there is more than was given: %d members", options.Len())
		}
	})
}

// refusedWell checks that an error is a refusal that may be shown to a client.
func refusedWell(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code == "" || len(refusal.Items) > fault.MaxItems {
		t.Fatalf("not a refusal: %v", err)
	}
}
