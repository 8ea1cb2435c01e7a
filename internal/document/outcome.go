package document

import (
	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// AppendDecision appends a decision to dst, in the form that every endpoint answers
// with.
func AppendDecision(dst []byte, o *decisioning.Outcome) []byte {
	w := wire.Writer{Buf: dst}
	if o.Features != nil || o.Fraud != nil {
		o.Envelope.Blocks = func(w *wire.Writer) { writeBlocks(w, o) }
	}
	o.Decision.Write(&w, &o.Envelope)
	return w.Buf
}

// writeBlocks writes the parts of the answer that belong to optional blocks of the
// request.
func writeBlocks(w *wire.Writer, o *decisioning.Outcome) {
	if o.Features != nil {
		writeFeatureBlock(w.Key("features"), o.Features)
	}
	if o.Fraud != nil {
		o.Fraud.Write(w.Key("fraud"))
	}
}

func writeFeatureBlock(w *wire.Writer, b *decisioning.FeatureBlock) {
	w.Object().Key("count").Int(int64(b.Count)).Key("catalogue").Int(int64(b.Catalogue))
	w.Key("populated").Int(int64(b.Populated))
	w.Key("vector_hash").Plain(b.Hash).Key("as_of").Plain(b.AsOf)
	w.Key("top_contributors").Array()
	for i := range b.Top {
		writeContributor(w, &b.Top[i])
	}
	w.EndArray().Key("used_by_policy").Array()
	for _, f := range b.Used {
		w.Plain(f.Name)
	}
	w.EndArray().EndObject()
}

func writeContributor(w *wire.Writer, c *decisioning.Contributor) {
	w.Object().Key("feature").Plain(c.Feature).Key("value").Decimal(c.Value, decisioning.FeaturePlaces)
	if c.HasPoints {
		w.Key("points").Decimal(int64(c.Points), rule.Places)
	}
	if c.Direction != "" {
		w.Key("direction").Plain(c.Direction)
	}
	w.Key("used_by_policy").Bool(c.Used).EndObject()
}

// AddFacts returns the answer of a decision with its facts added.
func AddFacts(body []byte, facts *rule.Facts) []byte {
	w := wire.Writer{Buf: make([]byte, 0, 2*len(body))}
	w.Object().Members(body).Key("facts")
	facts.Write(&w)
	return w.EndObject().Buf
}

// ReadDecision reads a decision that AppendDecision wrote, in this version of the
// service or an earlier one.
func ReadDecision(body []byte) (decisioning.Answered, error) {
	v, err := wire.Parse(body)
	if err != nil {
		return decisioning.Answered{}, err
	}
	return decisioning.Answered{
		Answer:   engine.ReadAnswer(v),
		Features: readFeatureBlock(v.Get("features")),
		Fraud:    readFraudBlock(v.Get("fraud")),
	}, nil
}

// ReadVersions returns the versions of the lists and of the tables that a decision read, from a document that
// WriteExplained wrote.
func ReadVersions(body []byte) (lists, tables []rule.ListVersion, err error) {
	v, err := wire.Parse(body)
	if err != nil {
		return nil, nil, err
	}
	return readVersions(v.Get("lists")), readVersions(v.Get("tables")), nil
}

func readVersions(v wire.Value) (read []rule.ListVersion) {
	for _, entry := range v.Elements() {
		read = append(read, rule.ListVersion{Name: entry.Get("name").Text(), Version: entry.Get("version").Decimal(0)})
	}
	return read
}

func readFeatureBlock(v wire.Value) *decisioning.FeatureBlock {
	if !v.Given() {
		return nil
	}
	b := &decisioning.FeatureBlock{
		Count:     int(v.Get("count").Decimal(0)),
		Catalogue: int(v.Get("catalogue").Decimal(0)),
		Populated: int(v.Get("populated").Decimal(0)),
		Hash:      v.Get("vector_hash").Text(),
		AsOf:      v.Get("as_of").Text(),
	}
	for _, c := range v.Get("top_contributors").Elements() {
		b.Top = append(b.Top, decisioning.Contributor{
			Feature:   c.Get("feature").Text(),
			Value:     c.Get("value").Decimal(decisioning.FeaturePlaces),
			HasPoints: c.Get("points").Given(),
			Points:    rule.Number(c.Get("points").Decimal(rule.Places)),
			Direction: c.Get("direction").Text(),
			Used:      c.Get("used_by_policy").IsTrue(),
		})
	}
	for _, name := range v.Get("used_by_policy").Elements() {
		b.Used = append(b.Used, application.Feature{Name: name.Text()})
	}
	return b
}

func readFraudBlock(v wire.Value) *decisioning.FraudBlock {
	if !v.Given() {
		return nil
	}
	b := &decisioning.FraudBlock{
		Score:   v.Get("fraud_score").Decimal(0),
		Level:   v.Get("level").Text(),
		Signals: readFraudSignals(v.Get("signals")),
	}
	for _, id := range v.Get("alert_ids").Elements() {
		b.AlertIDs = append(b.AlertIDs, id.Text())
	}
	for _, p := range v.Get("people").Elements() {
		b.People = append(b.People, decisioning.PersonFraud{
			Role:    p.Get("role").Text(),
			Score:   p.Get("fraud_score").Decimal(0),
			Level:   p.Get("level").Text(),
			Signals: readFraudSignals(p.Get("signals")),
		})
	}
	return b
}

func readFraudSignals(v wire.Value) (list []decisioning.FraudSignal) {
	for _, s := range v.Elements() {
		list = append(list, decisioning.FraudSignal{
			ID:           s.Get("id").Text(),
			NotEvaluated: s.Get("reason").Text(),
			Triggered:    s.Get("triggered").IsTrue(),
			Severity:     s.Get("severity").Text(),
			Value:        s.Get("value").Decimal(0),
			Measure:      s.Get("measure").Text(),
			Threshold:    s.Get("threshold").Decimal(0),
			WindowHours:  s.Get("window_hours").Decimal(0),
			Entity:       s.Get("entity").Text(),
			ReasonCode:   s.Get("reason_code").Text(),
		})
	}
	return list
}

// DecisionRequest returns the request in a body of POST /v1/decisions. The body is read
// later, when the application is decided. If strict is set, unknown members are refused;
// otherwise they cause warnings.
func DecisionRequest(body wire.Value, strict bool) application.Request {
	r := application.DecisionRequest(body)
	r.Strict = strict
	return r
}

// EvaluateRequest returns the request in a body of POST /v1/evaluate, like
// DecisionRequest.
func EvaluateRequest(body wire.Value, strict bool) application.Request {
	r := application.EvaluateRequest(body)
	r.Strict = strict
	return r
}

// EitherRequest returns the request in a body that has the form of a decision request or
// of an evaluate request.
func EitherRequest(body wire.Value, strict bool) application.Request {
	r := application.EitherRequest(body)
	r.Strict = strict
	return r
}

// ReadWhatIf reads the body of a preview. The application in the body is read later,
// when it is decided.
func ReadWhatIf(body wire.Value) (decisioning.WhatIf, error) {
	var faults fault.List
	ask := decisioning.WhatIf{Request: application.EitherRequest(body)}
	if v := body.Get("rule_set_id"); v.Given() {
		if ask.RuleSetID = v.Text(); ask.RuleSetID == "" || v.Kind() != wire.String {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be the id of a rule set")
		}
	}
	if v := body.Get("overrides"); v.Given() {
		if ask.Overrides = application.NewOverrides(v); v.Kind() != wire.Object {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be an object of request paths and values")
		}
	}
	if v := body.Get("compare"); v.Given() {
		if ask.Compare = v.IsTrue(); v.Kind() != wire.Bool {
			faults.Add(v.Pointer(), fault.CodeWrongType, "must be true or false")
		}
	}
	return ask, faults.Err()
}

// EncodePreviewed answers with a preview and releases the preview.
func EncodePreviewed(p decisioning.Previewed) (operation.Answer, error) {
	defer p.Release()
	lent := operation.BorrowBody()
	variant := operation.PooledAnswer(operation.StatusOK, AppendDecision((*lent)[:0], p.Variant), lent)
	if p.Baseline == nil {
		return variant, nil
	}
	defer variant.Release()
	both, err := compared(AppendDecision(nil, p.Baseline), variant.Body)
	return operation.Answer{Status: operation.StatusOK, Body: both}, err
}

// compared returns a document with both previews and their differences in status, grade, offer, explanation and
// reasons.
func compared(baseline, variant []byte) ([]byte, error) {
	b, err := wire.Parse(baseline)
	if err != nil {
		return nil, err
	}
	v, err := wire.Parse(variant)
	if err != nil {
		return nil, err
	}
	w := wire.Writer{Buf: make([]byte, 0, len(baseline)+len(variant)+1<<10)}
	w.Object().Key("preview").Bool(true).Key("baseline").Raw(baseline).Key("variant").Raw(variant)
	w.Key("diff").Array()
	for _, name := range []string{"status", "grade", "offer", "explanation", "reasons"} {
		difference(&w, "/"+name, b.Get(name), v.Get(name))
	}
	w.EndArray().EndObject()
	return w.Buf, nil
}

// EncodeEligibility answers with the result of the Stage 1 rules.
func EncodeEligibility(e *decisioning.Eligibility) operation.Answer {
	w := wire.Writer{Buf: make([]byte, 0, 2<<10)}
	e.Result.Write(&w, &e.Envelope)
	return operation.Answer{Status: operation.StatusOK, Body: w.Buf}
}

// WriteExplained writes the stored answer of a decision with its new explanation and, if they are set, its facts and
// reviews.
func WriteExplained(w *wire.Writer, e decisioning.Explained) {
	w.Object()
	if e.Kept != nil {
		writeKept(w, e.Kept)
	} else {
		w.Members(e.Response)
	}
	if len(e.InputsErased) > 0 {
		w.Key("inputs_erased")
		writeStrings(w, e.InputsErased)
	}
	w.Key("re_explanation")
	writeReExplanation(w, e.Again, e.Unverifiable)
	writePeople(w, e.People)
	if e.Facts != nil {
		w.Key("facts")
		e.Facts.Write(w)
	}
	if len(e.Reviews) > 0 {
		w.Key("reviews").Array()
		for _, r := range e.Reviews {
			WriteReview(w, r)
		}
		w.EndArray()
	}
	w.EndObject()
}

// writeKept writes the members of an answer that remain when the applicant is erased. They include every member
// that the API requires of a decision.
func writeKept(w *wire.Writer, k *decisioning.Kept) {
	d := &k.Summary
	w.Key("decision_id").String(d.ID).Key("status").String(d.Status).Key("grade").String(d.Grade)
	w.Key("offer").Object().Key("limit").Decimal(k.LimitPaise, 2).Key("currency").String("INR")
	if k.AskedRupees != 0 {
		w.Key("requested_amount").Decimal(int64(k.AskedRupees), rule.Places)
	}
	if k.LimitPaise != 0 {
		w.Key("interest_rate").Decimal(k.RateBP, 2)
	}
	w.EndObject()
	w.Key("explanation").Object().Key("fired_rules").Array().EndArray().Key("score_contributions").Array().EndArray()
	w.Key("final_score").Decimal(int64(k.Score), rule.Places).EndObject()
	w.Key("reasons").Array()
	for i, code := range k.Reasons {
		w.Object().Key("code").String(code).Key("message").String(engine.ApplicantMessage(code))
		w.Key("rank").Int(int64(i + 1)).Key("detail").Object().EndObject().EndObject()
	}
	w.EndArray()
	w.Key("policy").Object().Key("id").String(d.PolicyID).Key("version").Int(d.PolicyVersion)
	w.Key("name").String(k.PolicyName).Key("checksum").String(k.Checksum).EndObject()
	w.Key("decision_hash").String(d.Hash).Key("engine_version").String(d.EngineVersion)
	w.Key("environment").String(k.Environment).Key("created_at").String(operation.Clock(d.CreatedMicros))
	w.Key("warnings").Array().EndArray()
}

// writeReExplanation writes the explanation. If unverifiable is set, the decision's answer or facts were erased, so
// nothing is said about whether the decision can be reproduced.
func writeReExplanation(w *wire.Writer, r decisioning.ReExplanation, unverifiable bool) {
	w.Object()
	if !unverifiable {
		w.Key("verified").Bool(r.Verified)
	}
	optional(w, "recomputed_hash", r.RecomputedHash)
	w.Key("policy_version").Int(r.PolicyVersion).Key("engine_version").String(r.EngineVersion)
	w.Key("text").Array()
	for _, line := range r.Text {
		w.String(line)
	}
	w.EndArray().Key("not_evaluated")
	engine.WriteNotEvaluated(w, r.NotEvaluated)
	w.EndObject()
}
