package signal

import (
	"testing"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

func plainKey(kind, value string) string { return kind + ":" + value }

func factsWith(values map[string]string) *rule.Facts {
	facts := rule.NewFacts(field.Catalogue())
	for name, value := range values {
		facts.Set(name, rule.Str(value))
	}
	return facts
}

// TestObserveOther checks which entities of a co-applicant are observed, and how many of them another person of the
// application has too.
func TestObserveOther(t *testing.T) {
	t.Parallel()
	primary := Observe(factsWith(map[string]string{
		"fraud.applicant_ref": "A-1", "fraud.pincode": "400001", "fraud.ip": "203.0.113.7",
		"fraud.mobile": "9820012345", "fraud.agent_id": "AG-7",
	}), plainKey)
	other, repeated := ObserveOther(factsWith(map[string]string{
		"fraud.pincode": "400001", "fraud.ip": "203.0.113.8", "fraud.mobile": "+91 98200 12345",
		"fraud.agent_id": "AG-7", "fraud.email": "w@example.in",
	}), "A-2", []Observation{primary}, plainKey)
	if other.ApplicantRef != "A-2" || len(other.Entities) != 3 || len(repeated) != 1 ||
		repeated[0].Kind != KindPincode {
		t.Fatalf("%+v without %+v", other, repeated)
	}
	// The pincode is not counted twice, but it is a value of this person too.
	var p PersonFraud
	p.IncludeRepeated(repeated, []Fraud{{Blocklisted: []Entity{{Kind: KindMobile}}}})
	if at := p.factAt(factBlocklisted); at < 0 || p.facts[at].Value.IsTrue() {
		t.Errorf("without a blocked pincode: %+v", p.facts)
	}
	p.IncludeRepeated(repeated, []Fraud{{Blocklisted: repeated}})
	if at := p.factAt(factBlocklisted); at < 0 || !p.facts[at].Value.IsTrue() {
		t.Errorf("with a blocked pincode: %+v", p.facts)
	}
	// A person without a reference is not counted, so the same pincode of another person is counted.
	unnamed := primary
	unnamed.ApplicantRef = ""
	counted, _ := ObserveOther(factsWith(map[string]string{"fraud.pincode": "400001"}), "A-2",
		[]Observation{unnamed}, plainKey)
	if _, sent := counted.Entity(KindPincode); !sent {
		t.Error("nobody is counted for the pincode")
	}
	for _, kind := range []string{KindIP, KindMobile, KindEmail} {
		if _, sent := other.Entity(kind); !sent {
			t.Errorf("%s is missing", kind)
		}
	}
	if n := other.SharedWith([]Observation{primary}); n != 1 {
		t.Errorf("shares %d identifiers, want the mobile number", n)
	}
}

// TestInclude checks that the block list is about the application: a value of any person sets the fact and the level.
func TestInclude(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig().Fraud
	mobile := func(ref, value string) Observation {
		return Observation{ApplicantRef: ref, Entities: []Entity{{Kind: KindMobile, Key: value, Display: value}}}
	}
	blocked := Counts{MobileApplicants: 1, Blocklisted: []string{KindMobile}}
	for name, c := range map[string]struct {
		primary Observation
		counts  Counts // the counts of the other person
		want    string
		level   string
	}{
		"nobody":                            {mobile("A-1", "1"), Counts{MobileApplicants: 1}, "false", "low"},
		"the other":                         {mobile("A-1", "1"), blocked, "true", "high"},
		"the primary applicant has nothing": {Observation{ApplicantRef: "A-1"}, blocked, "true", "high"},
		"the primary applicant is unnamed":  {Observation{}, blocked, "true", "high"},
		"nothing is blocked":                {Observation{}, Counts{MobileApplicants: 1}, "false", ""},
	} {
		f := Assess(c.primary, Counts{MobileApplicants: 1}, cfg)
		f.Include([]PersonFraud{{Role: "guarantor", Fraud: Assess(mobile("A-2", "2"), c.counts, cfg)}})
		got := map[string]string{}
		f.Derive(func(name string, v rule.Value) { got[name] = v.String() })
		if got["fraud_blocklisted"] != c.want || f.Level != c.level {
			t.Errorf("%s: %s at the level %q, want %s and %q", name, got["fraud_blocklisted"], f.Level, c.want, c.level)
		}
		var w wire.Writer
		f.Write(&w)
		v, err := wire.Parse(w.Buf)
		if err != nil || v.Get("people").Len() != 1 || len(f.Blocklisted) != 0 {
			t.Errorf("%s: %s, %v", name, w.Buf, err)
		}
	}
}

// TestIncludeNobody checks that Include without other people does not change the written assessment.
func TestIncludeNobody(t *testing.T) {
	t.Parallel()
	o := Observation{ApplicantRef: "A-1", Entities: []Entity{{Kind: KindMobile, Key: "1", Display: "1"}}}
	f := Assess(o, Counts{MobileApplicants: 2}, DefaultConfig().Fraud)
	var before, after wire.Writer
	f.Write(&before)
	f.Include(nil)
	f.Write(&after)
	if string(before.Buf) != string(after.Buf) {
		t.Errorf("%s\n%s", before.Buf, after.Buf)
	}
}
