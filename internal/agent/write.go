package agent

import (
	"verdict/internal/advice"
	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Encode returns the run as it is answered and stored. A run and its repetition
// differ only in the head and, in the decision, in the id and the times.
func (st *study) Encode(head decisioning.RunHead) []byte {
	var w wire.Writer
	st.write(&w, head)
	return w.Buf
}

func (st *study) write(w *wire.Writer, head decisioning.RunHead) {
	w.Object().Key("run_id").String(head.RunID).Key("agent").String(decisioning.AgentUnderwriting)
	w.Key("recommendation").String(st.recommendation).Key("confidence").String(st.confidence)
	w.Key("decision").Raw(head.Decision)
	st.trace.write(w)
	w.Key("counter_offers").Array()
	for i := range st.offers {
		st.offers[i].write(w, false)
	}
	w.EndArray().Key("what_ifs").Array()
	for i := range st.whatIfs {
		st.whatIfs[i].write(w, true)
	}
	w.EndArray()
	st.writeConditions(w)
	w.Key("improvements").Array()
	for i := range st.improvements {
		writeImprovement(w, &st.improvements[i])
	}
	w.EndArray()
	st.writeCompleteness(w)
	writeFindings(w, "signals", st.signals)
	writeFindings(w, "bank_checks", st.bank)
	w.Key("principal_reasons").Array()
	for i, r := range st.reasons {
		w.Object().Key("code").String(r.code).Key("message").String(r.message).Key("rank").Int(int64(i) + 1).EndObject()
	}
	w.EndArray().Key("memo").String(st.memo())
	if st.narrated != "" || st.refused != "" {
		st.writeNarration(w)
	}
	w.Key("needs_human").Bool(st.needsHuman)
	st.writeWarnings(w)
	w.Key("policy").Object().Key("id").String(st.policyID).Key("version").Int(st.policyVersion)
	w.Key("checksum").String(st.checksum).EndObject()
	if st.ask.asOfText != "" {
		w.Key("as_of").String(st.ask.asOfText)
	}
	w.Key("created_at").String(head.CreatedAt).EndObject()
}

// writeImprovement writes an improvement with the list of its changes. A single
// change is also written beside the list.
func writeImprovement(w *wire.Writer, x *advice.Improvement) {
	w.Object()
	if len(x.Changes) == 1 {
		writeChange(w, x.Changes[0])
	}
	w.Key("effect").String(x.Status.String())
	if x.Full {
		w.Key("full_amount").Bool(true)
	}
	w.Key("changes").Array()
	for _, c := range x.Changes {
		w.Object()
		writeChange(w, c)
		w.EndObject()
	}
	w.EndArray()
	if x.Offered {
		w.Key("grade").String(x.Grade)
		w.Key("limit").Decimal(x.LimitPaise, 2)
		w.Key("tenure_months").Int(int64(x.TenureMonths))
		w.Key("interest_rate").Decimal(x.RateBP, 2).Key("emi").Decimal(x.InstalmentPaise, 2)
	}
	w.EndObject()
}

func writeChange(w *wire.Writer, c advice.Change) {
	w.Key("field").String(c.Field)
	if c.From.Type() != rule.Absent {
		w.Key("from")
		c.From.Write(w)
	}
	w.Key("to")
	c.To.Write(w)
	if c.Waiting {
		w.Key("by").String("waiting")
	}
	if c.PayOff.Type() != rule.Absent {
		w.Key("pay_off_monthly")
		c.PayOff.Write(w)
	}
}

func (st *study) writeCompleteness(w *wire.Writer) {
	w.Key("completeness").Object().Key("complete").Bool(len(st.complete.Open) == 0)
	w.Key("ask_next").Strings(st.complete.AskNext())
	w.Key("missing").Array()
	for i := range st.complete.Missing {
		m := &st.complete.Missing[i]
		w.Object().Key("field").String(m.Field).Key("matters").Bool(m.Matters)
		w.Key("best").String(m.Best.String()).Key("worst").String(m.Worst.String())
		writeNames(w, "rules", m.Rules)
		writeNames(w, "factors", m.Factors)
		w.EndObject()
	}
	w.EndArray().Key("not_evaluated").Array()
	for _, o := range st.complete.Open {
		w.Object().Key("id").String(o.RuleID)
		writeNames(w, "missing", o.Missing)
		w.Key("residual").String(o.Residual).EndObject()
	}
	w.EndArray().EndObject()
}

func writeNames(w *wire.Writer, key string, names []string) {
	w.Key(key).Array()
	for _, name := range names {
		w.String(name)
	}
	w.EndArray()
}

var statusWords = map[engine.Status]string{
	engine.Approved: "approved", engine.Referred: "referred to a person", engine.Declined: "declined",
}
