package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"verdict/internal/fault"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Envelope is what surrounds a decision when it is shown: who decided, when
// and under which policy version. None of it is in the hash.
type Envelope struct {
	DecisionID    string
	PolicyID      string
	PolicyVersion int
	Environment   string
	CreatedAt     string
	ValidUntil    string
	Preview       bool
	Facts         *rule.Facts // shown in previews
	// Blocks, unless nil, writes what optional blocks of the request add to the
	// answer, as members. It stands outside the decision and its hash.
	Blocks   func(*wire.Writer)
	Warnings []fault.Item // what was understood in a surprising way, or left aside
}

// Write writes the decision as every endpoint answers it.
func (d *Decision) Write(w *wire.Writer, env *Envelope) {
	w.Object()
	optional(w, "decision_id", env.DecisionID)
	if env.Preview {
		w.Key("preview").Bool(true)
	}
	w.Key("status").String(d.Status.String())
	w.Key("grade").String(d.Grade)
	w.Key("offer").Object()
	var room [maxMembers]member
	members := d.offerMembers(room[:0], env)
	for i := range members {
		d.writeMember(w, &members[i], false)
	}
	w.EndObject()
	w.Key("explanation").Object()
	w.Key("fired_rules")
	writeFired(w, d.Rules, false)
	w.Key("score_contributions")
	writeContributions(w, d.Contributions)
	number(w, "final_score", d.FinalScore)
	w.EndObject()
	w.Key("reasons")
	d.writeReasons(w)
	w.Key("policy").Object()
	optional(w, "id", env.PolicyID)
	if env.PolicyVersion > 0 {
		w.Key("version").Int(int64(env.PolicyVersion))
	}
	w.Key("name").String(d.plan.policy.Name).Key("checksum").String(d.plan.checksum).EndObject()
	w.Key("decision_hash").String(d.Hash()).Key("engine_version").String(Version)
	optional(w, "environment", env.Environment)
	if env.Facts != nil {
		w.Key("facts")
		env.Facts.Write(w)
	}
	if env.Blocks != nil {
		env.Blocks(w)
	}
	writeWarnings(w, d.warnings(env.Warnings))
	optional(w, "created_at", env.CreatedAt)
	w.EndObject()
}

func writeWarnings(w *wire.Writer, list []fault.Item) {
	w.Key("warnings").Array()
	for _, warning := range list {
		w.Object().Key("code").String(warning.Code)
		optional(w, "pointer", warning.Pointer)
		w.Key("detail").String(warning.Detail).EndObject()
	}
	w.EndArray()
}

// warnings adds the engine's own word to what the reader of the request said.
func (d *Decision) warnings(given []fault.Item) []fault.Item {
	if !d.Offer.TenureNotAvailable {
		return given
	}
	return append(slices.Clone(given), fault.Item{
		Code:   "tenure_not_available",
		Detail: "the tenure asked for is not among the band's; its usual tenure applies",
	})
}

// writeFired writes the rules; canonical puts a delta where name order wants
// it, people find it last.
func writeFired(w *wire.Writer, rules []FiredRule, canonical bool) {
	w.Array()
	for i := range rules {
		r := &rules[i]
		applied := r.Result == ResultApplied
		w.Object()
		if applied && canonical {
			number(w, "delta", r.Delta)
		}
		w.Key("id").String(r.ID).Key("result").String(r.Result.String())
		if applied && !canonical {
			number(w, "delta", r.Delta)
		}
		w.EndObject()
	}
	w.EndArray()
}

func writeContributions(w *wire.Writer, list []Contribution) {
	w.Array()
	for _, c := range list {
		w.Object().Key("factor").String(c.Factor)
		number(w, "points", c.Points)
		w.EndObject()
	}
	w.EndArray()
}

func (d *Decision) writeReasons(w *wire.Writer) {
	w.Array()
	for _, r := range d.Reasons {
		w.Object().Key("code").String(r.Code).Key("message").String(d.Message(r)).Key("rank").Int(int64(r.Rank))
		w.Key("detail")
		d.Detail(r).write(w)
		w.EndObject()
	}
	w.EndArray()
}

func (x Detail) write(w *wire.Writer) {
	w.Object()
	optional(w, "rule_id", x.RuleID)
	optional(w, "field", x.Field)
	if x.Value.Type() != rule.Absent {
		w.Key("value")
		x.Value.Write(w)
	}
	if x.Threshold.Type() != rule.Absent {
		w.Key("threshold")
		x.Threshold.Write(w)
	}
	optional(w, "text", x.Text)
	w.EndObject()
}

// member is one member of the offer; the response writes the members in the
// order of the contract, the hash in name order, both from this one list.
type member struct {
	name   string
	kind   memberKind
	places int    // of a number
	number int64  // a number, or 1 for true
	text   string // of a text
}

type memberKind uint8

const (
	memberNumber memberKind = iota
	memberText
	memberFlag
	memberTerms
	memberAlternatives
)

// maxMembers is how many members an offer can have.
const maxMembers = 24

func (d *Decision) writeMember(w *wire.Writer, m *member, canonical bool) {
	w.Key(m.name)
	switch m.kind {
	case memberNumber:
		w.Decimal(m.number, m.places)
	case memberText:
		w.String(m.text)
	case memberFlag:
		w.Bool(m.number == 1)
	case memberTerms:
		d.writeTerms(w, canonical)
	case memberAlternatives:
		d.writeAlternatives(w, canonical)
	}
}

// offerMembers appends the offer's members to a list.
func (d *Decision) offerMembers(list []member, env *Envelope) []member {
	o := &d.Offer
	decimal := func(name string, n int64, places int) {
		list = append(list, member{name: name, number: n, places: places})
	}
	text := func(name, s string) { list = append(list, member{name: name, kind: memberText, text: s}) }
	flag := func(name string, b bool) {
		m := member{name: name, kind: memberFlag}
		if b {
			m.number = 1
		}
		list = append(list, m)
	}
	decimal("limit", o.LimitPaise, 2)
	text("currency", "INR")
	if !o.Made {
		return list
	}
	if o.Indicative {
		flag("indicative", true)
	}
	if o.HasRequested {
		decimal("requested_amount", o.RequestedPaise, 2)
	}
	flag("is_counter_offer", o.CounterOffer)
	decimal("interest_rate", o.RateBP, 2)
	text("rate_type", "fixed")
	text("method", "reducing_balance")
	decimal("tenure_months", int64(o.TenureMonths), 0)
	decimal("emi", o.InstalmentPaise, 2)
	decimal("last_emi", o.LastPaise, 2)
	decimal("processing_fee", o.FeePaise, 2)
	decimal("processing_fee_gst", o.GSTPaise, 2)
	decimal("net_disbursed", o.NetPaise, 2)
	decimal("total_interest", o.InterestPaise, 2)
	decimal("total_payable", o.PayablePaise, 2)
	decimal("apr", o.APR, 2)
	if o.HasCapacity {
		decimal("max_emi", o.CapacityPaise, 2)
	}
	if o.HasPostFOIR {
		decimal("post_offer_foir", o.PostFOIR, 4)
	}
	text("binding_constraint", o.Binding.String())
	text("pricing_band_id", o.BandID)
	if env.ValidUntil != "" {
		text("valid_until", env.ValidUntil)
	}
	return append(list, member{name: "conditions", kind: memberTerms}, member{name: "alternatives", kind: memberAlternatives})
}

// writeTerms writes the conditions; the hash takes their codes alone, because
// texts may be reworded.
func (d *Decision) writeTerms(w *wire.Writer, canonical bool) {
	w.Array()
	for i := range d.Offer.Terms {
		t := d.Offer.Terms[i]
		if canonical {
			w.String(t.Code)
			continue
		}
		w.Object().Key("code").String(t.Code).Key("text").String(t.Text).EndObject()
	}
	w.EndArray()
}

func (d *Decision) writeAlternatives(w *wire.Writer, canonical bool) {
	w.Array()
	for _, a := range d.Offer.Alternatives {
		w.Object()
		if canonical {
			rupees(w, "emi", a.InstalmentPaise)
		}
		rupees(w, "limit", d.Offer.LimitPaise)
		w.Key("tenure_months").Int(int64(a.TenureMonths))
		if !canonical {
			rupees(w, "emi", a.InstalmentPaise)
		}
		w.EndObject()
	}
	w.EndArray()
}

// Canonical is what the hash is taken of: the decision without identities,
// times and texts, in the form of RFC 8785. It is the testable "byte for
// byte" of the interface. It is valid until d decides again.
func (d *Decision) Canonical() []byte {
	w := wire.Writer{Buf: d.canonical[:0]}
	w.Object().Key("explanation").Object()
	number(&w, "final_score", d.FinalScore)
	w.Key("fired_rules")
	writeFired(&w, d.Rules, true)
	w.Key("score_contributions")
	writeContributions(&w, d.Contributions)
	w.EndObject().Key("grade").String(d.Grade)
	w.Key("offer").Object()
	var room [maxMembers]member
	members := d.offerMembers(room[:0], &Envelope{})
	slices.SortFunc(members, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	for i := range members {
		d.writeMember(&w, &members[i], true)
	}
	w.EndObject()
	w.Key("policy").Object().Key("checksum").String(d.plan.checksum).EndObject()
	w.Key("reasons").Array()
	for _, r := range d.Reasons {
		w.Object().Key("code").String(r.Code).Key("rank").Int(int64(r.Rank)).EndObject()
	}
	w.EndArray().Key("status").String(d.Status.String()).EndObject()
	d.canonical = w.Buf
	return w.Buf
}

// Hash is the decision hash.
func (d *Decision) Hash() string {
	if d.hash == "" {
		sum := sha256.Sum256(d.Canonical())
		text := append(make([]byte, 0, hashLength), hashPrefix...)
		d.hash = string(hex.AppendEncode(text, sum[:]))
	}
	return d.hash
}

// A hash says how it was made.
const (
	hashPrefix = "sha256:"
	hashLength = len(hashPrefix) + 2*sha256.Size
)
