package document

import (
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// ReadCard reads a scorecard. The scorecard need not have a name.
func ReadCard(body wire.Value) (*engine.Scorecard, error) {
	return engine.ReadScorecard(body, field.Catalogue())
}

// ReadScorecard reads a scorecard that is to be stored. The scorecard must have a name.
func ReadScorecard(body wire.Value) (*engine.Scorecard, error) {
	card, err := ReadCard(body)
	if name := body.Get("name"); name.Given() && name.Text() != "" {
		return card, err
	}
	var faults fault.List
	policydesk.CheckScorecardName("", &faults)
	if refusal := fault.Of(err); refusal != nil {
		operation.AddAll(&faults, refusal.Items)
	}
	return nil, faults.Err()
}

// EncodeScorecard answers 201 with a new scorecard.
func EncodeScorecard(c policydesk.Scorecard) operation.Answer {
	return answer(operation.StatusCreated, func(w *wire.Writer) { WriteScorecard(w, c) })
}

// WriteScorecard writes a scorecard: its document, which contains the name, and the
// stored data about it.
func WriteScorecard(w *wire.Writer, c policydesk.Scorecard) {
	least, most := c.Card.Bounds()
	w.Object().Key("id").String(c.ID).Key("version").Int(c.Version).Key("status").String("active")
	w.Key("checksum").String(c.Checksum).Members(c.Document)
	w.Key("min_points").Decimal(int64(least), rule.Places).Key("max_points").Decimal(int64(most), rule.Places)
	w.Key("created_at").String(operation.Clock(c.CreatedMicros)).Key("created_by").String(c.CreatedBy).EndObject()
}

// Scores reports whether a body asks for scores instead of a new scorecard.
func Scores(body wire.Value) bool { return body.Get("input").Given() || body.Get("inputs").Given() }

// ReadScoring reads a request for scores. It does not check the applicants, because their
// faults depend on the scorecard, which only the use case can load.
func ReadScoring(body wire.Value) (policydesk.Scoring, error) {
	s := policydesk.Scoring{Applicants: engine.NewApplicants(body.Get("input"), body.Get("inputs"))}
	named := body.Get("scorecard_id")
	var err error
	switch {
	case named.Given() && body.Get("factors").Given():
		err = operation.Invalid("/scorecard_id", fault.CodeInvalidField, `give either "scorecard_id" or "factors"`)
	case named.Given() && named.Kind() != wire.String:
		err = operation.Invalid("/scorecard_id", fault.CodeWrongType, "must be the id of a scorecard")
	case named.Given() && named.Text() == "":
		err = fault.Missing("scorecard")
	case named.Given():
		s.ScorecardID = strings.Clone(named.Text())
		err = onlyScores(body)
	case body.Get("factors").Given():
		s.Card, err = inlineCard(body)
	default:
		err = operation.Invalid("/scorecard_id", fault.CodeRequired,
			`is required to score, unless the body contains "factors"`)
	}
	if err != nil {
		return s, err
	}
	var ok bool
	if s.PolicyKey, ok = field.PolicyKeyOf(body); !ok {
		return s, operation.Invalid("/policy_key", fault.CodeInvalidField, field.PolicyKeyText)
	}
	return s, nil
}

// scoringMembers lists the members of a request for scores that do not belong to the
// scorecard.
var scoringMembers = []string{"scorecard_id", "input", "inputs", "policy_key"}

// onlyScores refuses the members of a scorecard in a request that names a stored
// scorecard.
func onlyScores(body wire.Value) error {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	f.Known(scoringMembers...)
	f.OrNull([]string{"name", "base_points", "min_score", "max_score", "pdo", "anchor_score", "anchor_odds", "factors"})
	f.Done()
	return faults.Err()
}

// inlineCard reads the scorecard that is part of a request for scores.
func inlineCard(body wire.Value) (*engine.Scorecard, error) {
	var w wire.Writer
	w.Object()
	for name, member := range body.Members() {
		if !slices.Contains(scoringMembers, name) {
			w.Name(name).Value(member)
		}
	}
	inline, err := wire.Parse(w.EndObject().Buf)
	if err != nil {
		return nil, err
	}
	return ReadCard(inline)
}

// EncodeScores answers 200 with the score of a single applicant or with a list of scores.
func EncodeScores(s policydesk.Scores) operation.Answer {
	return answer(operation.StatusOK, func(w *wire.Writer) {
		if !s.Listed {
			writeScore(w, s.ScorecardID, s.List[0], s.Warnings)
			return
		}
		w.Object().Key("data").Array()
		for _, one := range s.List {
			writeScore(w, s.ScorecardID, one, nil)
		}
		w.EndArray()
		writeInputWarnings(w, s.Warnings)
		w.EndObject()
	})
}

func writeScore(w *wire.Writer, scorecardID string, s policydesk.ApplicantScore, warnings []fault.Item) {
	w.Object()
	optional(w, "scorecard_id", scorecardID)
	s.WriteMembers(w)
	optional(w, "grade", s.Grade)
	writeInputWarnings(w, warnings)
	w.EndObject()
}

// writeInputWarnings writes the warnings about a request, if there are any.
func writeInputWarnings(w *wire.Writer, warnings []fault.Item) {
	if len(warnings) == 0 {
		return
	}
	w.Key("warnings").Array()
	for _, item := range warnings {
		w.Object().Key("code").String(item.Code).Key("pointer").String(item.Pointer)
		w.Key("detail").String(item.Detail).EndObject()
	}
	w.EndArray()
}
