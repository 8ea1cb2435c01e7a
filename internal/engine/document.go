package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Document returns the policy as a complete document: every default is filled in, every merged rule is included, and
// members are in name order. Only affordability, charges, exposure, features, guarantees, limit_caps, people,
// semantics and tables are left out if they have their defaults. Reading the document again gives the same policy and
// the same bytes.
func (p *Policy) Document() []byte {
	var w wire.Writer
	w.Buf = make([]byte, 0, 24<<10)
	p.write(&w, true)
	return w.Buf
}

// Checksum returns a hash of the policy without its name, its policy_key, the name and id of its scorecard, its
// guarantees, and the members that the service adds. Policies with the same checksum make the same decisions, and a
// policy promoted from sandbox to live keeps its checksum.
func (p *Policy) Checksum() string {
	w, kept := checksumWriters.Get().(*wire.Writer)
	if !kept {
		w = &wire.Writer{Buf: make([]byte, 0, 24<<10)}
	}
	p.write(w, false)
	sum := sha256.Sum256(w.Buf)
	if cap(w.Buf) <= 1<<20 { // do not keep the buffer of a huge policy in memory
		*w = wire.Writer{Buf: w.Buf[:0]}
		checksumWriters.Put(w)
	}
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Unnamed returns the document that the checksum covers: Document without the names, the
// keys, the guarantees and the members that the service adds.
func (p *Policy) Unnamed() []byte {
	var w wire.Writer
	p.write(&w, false)
	return w.Buf
}

// checksumWriters pools the buffers of checksums, which are free again once the checksum is computed. Without the
// pool, such a buffer would be the largest single allocation of a compilation.
var checksumWriters sync.Pool

// write writes the document. If named is set, the document includes the members
// that identify the policy and have no effect on decisions.
func (p *Policy) write(w *wire.Writer, named bool) {
	w.Object()
	w.Key("actionable_fields").Strings(p.Actionable)
	writeList(w, "adjustments", p.Adjustments, (*Adjustment).write)
	if p.Affordability != nil {
		w.Key("affordability")
		p.Affordability.write(w)
	}
	w.Key("allow_gaps").Bool(p.AllowGaps)
	if len(p.Charges) > 0 { // left out if empty, so that older checksums do not change
		writeList(w, sectionCharges, p.Charges, (*Charge).write)
	}
	writeList(w, "conditions", p.Terms, (*Term).write)
	if p.Exposure != nil {
		w.Key(sectionExposure)
		p.Exposure.write(w)
	}
	if p.FeaturesAuto { // left out if false, so that older checksums do not change
		w.Key("features").String(featuresAuto)
	}
	if named && len(p.Guarantees) > 0 { // guarantees do not affect decisions, so the checksum does not cover them
		w.Key(sectionGuarantees).Raw(p.GuaranteesDocument())
	}
	w.Key("include_defaults").Bool(p.IncludeDefaults)
	writeList(w, "inputs", p.Inputs, (*Input).write)
	writeList(w, "knockouts", p.Knockouts, (*Knockout).write)
	if len(p.LimitCaps) > 0 { // left out if empty, so that older checksums do not change
		writeList(w, sectionLimitCaps, p.LimitCaps, (*LimitCap).write)
	}
	w.Key("limit_step").Decimal(p.LimitStepPaise, 2)
	if named {
		w.Key("name").String(p.Name)
	}
	w.Key("offer_validity_days").Int(int64(p.OfferValidityDays))
	if p.People != nil {
		w.Key(sectionPeople)
		p.People.write(w)
	}
	if named {
		w.Key("policy_key").String(p.Key)
	}
	writeList(w, "pricing_bands", p.Bands, (*Band).write)
	w.Key("required_fields").Array()
	for _, r := range p.Required {
		w.String(r.Text)
	}
	w.EndArray()
	w.Key("scorecard")
	p.Scorecard.write(w, named)
	if named {
		w.Optional("scorecard_id", p.ScorecardID)
	}
	if p.Semantics > FirstSemantics { // left out under the first semantics, so that older checksums do not change
		w.Key("semantics").Int(int64(p.Semantics))
	}
	if len(p.Tables) > 0 { // left out if empty, so that older checksums do not change
		writeList(w, "tables", p.Tables, writeTable)
	}
	w.EndObject()
}

// writeList writes a member whose value is a list.
func writeList[T any](w *wire.Writer, key string, list []T, write func(*T, *wire.Writer)) {
	w.Key(key).Array()
	for i := range list {
		write(&list[i], w)
	}
	w.EndArray()
}

func (in *Input) write(w *wire.Writer) {
	w.Object()
	w.Optional("meaning", in.Meaning)
	w.Key("name").String(in.Name).Key("type").String(in.Type.String()).EndObject()
}

func (t *Term) write(w *wire.Writer) {
	w.Object().Key("code").String(t.Code).Key("condition_ast")
	t.Condition.Write(w)
	w.Key("text").String(t.Text).EndObject()
}

func number(w *wire.Writer, key string, n rule.Number) { w.Key(key).Decimal(int64(n), rule.Places) }

func rupees(w *wire.Writer, key string, paise int64) { w.Key(key).Decimal(paise, 2) }

func (k *Knockout) write(w *wire.Writer) {
	w.Object().Key("action").String(k.Action.String())
	w.Optional("applicant_message", k.ApplicantMessage)
	w.Key("condition_ast")
	k.Condition.Write(w)
	w.Key("id").String(k.ID)
	w.Optional("message", k.Message)
	w.Key("on_absent").String(k.OnAbsent.String())
	w.Optional("reason_code", k.ReasonCode)
	w.Key("stage").Int(int64(k.Stage))
	if k.System {
		w.Key("system").Bool(true)
	}
	w.EndObject()
}

func (a *Adjustment) write(w *wire.Writer) {
	w.Object().Key("condition_ast")
	a.Condition.Write(w)
	number(w, "delta", a.Delta)
	w.Key("id").String(a.ID)
	w.Optional("reason_code", a.ReasonCode)
	w.EndObject()
}

func (b *Band) write(w *wire.Writer) {
	w.Object().Key("action").String(b.Action.String())
	if b.Priced {
		rupees(w, "default_limit", b.DefaultLimitPaise)
		number(w, "foir_cap", b.FOIRCap)
	}
	w.Key("grade").String(b.Grade)
	if b.Priced {
		number(w, "gst_pct", b.GSTPct)
	}
	w.Key("id").String(b.ID)
	if b.Priced {
		if b.HasIncomeMultiple {
			number(w, "income_multiple", b.IncomeMultiple)
		}
		w.Key("interest_rate").Decimal(b.RateBP, 2)
		rupees(w, "max_limit", b.MaxLimitPaise)
	}
	if b.Ranged {
		w.Key("max_score").Int(b.MaxScore)
	}
	if b.Priced {
		rupees(w, "min_limit", b.MinLimitPaise)
	}
	if b.Ranged {
		w.Key("min_score").Int(b.MinScore)
	}
	w.Key("ntc").Bool(b.NTC)
	if b.Priced {
		rupees(w, "processing_fee_min", b.FeeMinPaise)
		number(w, "processing_fee_pct", b.FeePct)
		w.Key("tenure_months").Int(int64(b.TenureMonths))
		w.Key("tenures_allowed").Array()
		for _, t := range b.Tenures {
			w.Int(int64(t))
		}
		w.EndArray()
	}
	if b.When != nil {
		w.Key("when")
		b.When.Write(w)
	}
	w.EndObject()
}

// Document returns the scorecard as a complete document.
func (c *Scorecard) Document() []byte {
	var w wire.Writer
	c.write(&w, true)
	return w.Buf
}

func (c *Scorecard) write(w *wire.Writer, named bool) {
	w.Object()
	if c.Scaling != nil {
		number(w, "anchor_odds", c.Scaling.AnchorOdds)
		number(w, "anchor_score", c.Scaling.AnchorScore)
	}
	number(w, "base_points", c.Base)
	w.Key("factors").Array()
	for i := range c.Factors {
		c.Factors[i].write(w)
	}
	w.EndArray()
	number(w, "max_score", c.MaxScore)
	number(w, "min_score", c.MinScore)
	if named {
		w.Optional("name", c.Name)
	}
	if c.Scaling != nil {
		number(w, "pdo", c.Scaling.PDO)
	}
	w.EndObject()
}

func (f *Factor) write(w *wire.Writer) {
	w.Object().Key("bins").Array()
	for i := range f.Bins {
		f.Bins[i].write(w)
	}
	w.EndArray().Key("factor").String(f.Name).Key("field").String(f.Field.Name)
	w.Optional("label", f.Label)
	if f.HasMissing {
		number(w, "missing_points", f.Missing)
	}
	w.Optional("reason_code", f.ReasonCode)
	if f.Typed {
		w.Key("type").String(f.Field.Type.String())
	}
	number(w, "weight", f.Weight)
	if f.When != nil {
		w.Key("when")
		f.When.Write(w)
	}
	w.EndObject()
}

func (b *Bin) write(w *wire.Writer) {
	w.Object()
	if b.Else {
		w.Key("else").Bool(true)
	}
	if b.HasMin {
		number(w, "gte", b.Min)
	}
	if len(b.In) > 0 {
		w.Key("in").Array()
		for _, v := range b.In {
			v.Write(w)
		}
		w.EndArray()
	}
	if b.HasMax {
		number(w, "lt", b.Max)
	}
	number(w, "points", b.Points)
	w.Optional("reason_code", b.ReasonCode)
	if len(b.Special) > 0 {
		w.Key("special").Array()
		for _, n := range b.Special {
			w.Decimal(int64(n), rule.Places)
		}
		w.EndArray()
	}
	if b.HasWOE {
		number(w, "woe", b.WOE)
	}
	w.EndObject()
}
