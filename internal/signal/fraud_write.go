package signal

import (
	"cmp"
	"slices"

	"verdict/internal/wire"
)

// Write writes the fraud object of a response. Without an applicant the score is
// incomplete. The level is then written only if an entity is on the block list,
// because a low level would look like an all-clear.
func (f Fraud) Write(w *wire.Writer) {
	f.writeAssessment(w.Object())
	f.Device.write(w.Key("device"))
	f.Location.write(w.Key("location"))
	w.Key("alert_ids").Array()
	for _, id := range f.AlertIDs {
		w.Plain(id)
	}
	w.EndArray()
	if len(f.People) > 0 {
		w.Key("people").Array()
		for i := range f.People {
			p := &f.People[i]
			p.writeAssessment(w.Object().Key("role").Plain(p.Role))
			w.EndObject()
		}
		w.EndArray()
	}
	w.EndObject()
}

// writeAssessment writes the score and the signals of one person into the open object.
func (f Fraud) writeAssessment(w *wire.Writer) {
	w.Key("fraud_score").Int(f.Score).Key("complete").Bool(f.Counted)
	if f.Level != "" {
		w.Key("level").Plain(f.Level)
	}
	f.writeBreakdown(w.Key("score_breakdown"))
	w.Key("signals").Array()
	for _, s := range f.Signals {
		s.write(w)
	}
	for _, e := range f.Blocklisted {
		writeBlocklisted(w, e)
	}
	w.EndArray()
}

// writeBreakdown lists the triggered signals by points, highest first. The
// points may sum to more than the score, which is capped at 100.
func (f Fraud) writeBreakdown(w *wire.Writer) {
	triggered := slices.DeleteFunc(slices.Clone(f.Signals), func(s Signal) bool { return !s.Triggered })
	slices.SortStableFunc(triggered, func(a, b Signal) int { return cmp.Compare(b.Points, a.Points) })
	w.Array()
	for _, s := range triggered {
		w.Object().Key("signal").Plain(s.ID).Key("points").Int(s.Points).EndObject()
	}
	w.EndArray()
}

// prefixes are written before an entity's display text to show the entity's kind.
var prefixes = map[string]string{
	KindBeneficiaryAccount: "acct_", KindIP: "ip_", KindPincode: "pin_", KindAgent: "agent_",
	KindDevice: "dev_", KindMobile: "mob_", KindEmail: "mail_",
}

// BlocklistHit is the id of the signals that represent entities on the block
// list.
const BlocklistHit = "blocklist"

// writeBlocklisted writes an entity on the block list as a triggered signal
// without a window.
func writeBlocklisted(w *wire.Writer, e Entity) {
	w.Object().Key("id").Plain(BlocklistHit).Key("triggered").Bool(true).Key("severity").Plain(
		SeverityCritical.String()).
		Key("value").Int(1).Key("threshold").Int(1).Key("window_hours").Int(0).Key("reason_code").Plain(reasonRing).
		Key("entity").String(prefixes[e.Kind] + e.Display).EndObject()
}

func (s Signal) write(w *wire.Writer) {
	if s.NotEvaluated != "" {
		w.Object().Key("id").Plain(s.ID).Key("evaluated").Bool(false).Key("reason").Plain(s.NotEvaluated).EndObject()
		return
	}
	w.Object().Key("id").Plain(s.ID).Key("triggered").Bool(s.Triggered).Key("severity").Plain(s.Severity.String()).
		Key("value").Int(s.Value).Key("threshold").Int(s.Threshold).Key("window_hours").Int(s.WindowHours)
	if s.Measure != "" {
		w.Key("measure").Plain(s.Measure)
	}
	w.Key("reason_code").Plain(s.ReasonCode)
	if display := prefixes[s.Entity.Kind] + s.Entity.Display; display != "" { // a ring that is not stored yet has no id
		w.Key("entity").String(display)
	}
	w.EndObject()
}

func (b *Block) write(w *wire.Writer) {
	if b == nil {
		w.Null()
		return
	}
	w.Object()
	for _, fact := range b.facts {
		fact.Value.Write(w.Key(fact.Name))
	}
	w.EndObject()
}
