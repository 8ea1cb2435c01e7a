package policydesk

import (
	"context"
	"errors"
	"fmt"

	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Scorecard is a stored scorecard, as it is shown.
type Scorecard struct {
	store.Scorecard
	card *engine.Scorecard
}

// maxInputs bounds the applicants that are scored in one request, and
// maxContributions these times the factors, each of which is in the answer.
const (
	maxInputs        = 1_000
	maxContributions = 50_000
)

// Scorecard creates a scorecard, or scores with one when the body has an
// input.
func (s *Service) Scorecard(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once) (operation.Answer, error) {
	if Scores(body) {
		if err := p.Require(tenant.Decide); err != nil {
			return operation.Answer{}, err
		}
		return s.core.Remember(ctx, s.core.Scope(p), o, func() (operation.Answer, error) { return s.score(ctx, p, body) })
	}
	return s.createScorecard(ctx, p, body, o)
}

// Scores reports whether a body asks to score rather than to create.
func Scores(body wire.Value) bool { return body.Get("input").Given() || body.Get("inputs").Given() }

func (s *Service) createScorecard(ctx context.Context, p tenant.Principal, body wire.Value, o *operation.Once) (operation.Answer, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return operation.Answer{}, err
	}
	card, err := readNamed(body)
	if err != nil {
		return operation.Answer{}, err
	}
	insert := s.InsertScorecard(p, card)
	return s.core.Write(ctx, s.core.Scope(p), o, func(tx *store.Tx) (operation.Answer, error) {
		stored, err := insert(tx)
		if err != nil {
			return operation.Answer{}, err
		}
		var w wire.Writer
		stored.Write(&w)
		return operation.Answer{Status: operation.StatusCreated, Body: w.Buf}, nil
	})
}

// InsertScorecard is how a new scorecard is stored, with its audit entry; the
// id is settled before the transaction, which may be tried again.
func (s *Service) InsertScorecard(p tenant.Principal, card *engine.Scorecard) func(*store.Tx) (Scorecard, error) {
	now := s.core.Moment()
	record := store.Scorecard{
		ID: s.core.IDs.New(tenant.KindScorecard, now), Name: card.Name, Document: card.Document(), Checksum: card.Checksum(),
		CreatedMicros: now.UnixMicro(), CreatedBy: operation.Actor(p),
	}
	return func(tx *store.Tx) (Scorecard, error) {
		if err := s.roomForScorecard(tx); err != nil {
			return Scorecard{}, err
		}
		stored, err := tx.Scorecards().Insert(record)
		if err != nil {
			return Scorecard{}, err
		}
		entry := s.core.Audit(p, now, operation.ActionScorecardCreated, stored.ID, "")
		entry.AfterChecksum = stored.Checksum
		return Scorecard{stored, card}, tx.Audit().Add(entry)
	}
}

// readNamed reads a scorecard that is to be kept, and so must have a name.
func readNamed(body wire.Value) (*engine.Scorecard, error) {
	card, err := engine.ReadScorecard(body, field.Catalogue())
	if name := body.Get("name"); name.Given() && name.Text() != "" {
		return card, err
	}
	var faults fault.List
	faults.Add("/name", fault.CodeRequired, "is required: a name people will recognise the scorecard by")
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		operation.AddAll(&faults, refusal.Items)
	}
	return nil, faults.Err()
}

// scorecard finds a stored scorecard of the scope.
func (s *Service) scorecard(ctx context.Context, scope *store.Scope, id string) (*engine.Scorecard, error) {
	if !tenant.Valid(tenant.KindScorecard, id) {
		return nil, operation.Missing("scorecard")
	}
	stored, err := scope.Scorecards(ctx).Get(id)
	if err != nil {
		return nil, err
	}
	return readScorecard(stored)
}

func readScorecard(stored store.Scorecard) (*engine.Scorecard, error) {
	v, err := wire.Parse(stored.Document)
	if err == nil {
		var card *engine.Scorecard
		if card, err = engine.ReadScorecard(v, field.Catalogue()); err == nil {
			return card, nil
		}
	}
	return nil, fmt.Errorf("read the stored scorecard %s: %w", stored.ID, operation.AsDefect(err))
}

// StoredScorecard finds a scorecard.
func (s *Service) StoredScorecard(ctx context.Context, p tenant.Principal, id string) (Scorecard, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Scorecard{}, err
	}
	if !tenant.Valid(tenant.KindScorecard, id) {
		return Scorecard{}, operation.Missing("scorecard")
	}
	stored, err := s.core.Scope(p).Scorecards(ctx).Get(id)
	if err != nil {
		return Scorecard{}, err
	}
	card, err := readScorecard(stored)
	return Scorecard{stored, card}, err
}

// Scorecards lists the stored scorecards.
func (s *Service) Scorecards(ctx context.Context, p tenant.Principal, name string, l operation.List) (operation.Page[Scorecard], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Scorecard]{}, err
	}
	filters := []string{"scorecards", name}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Scorecard]{}, err
	}
	rows, more, err := s.core.Scope(p).Scorecards(ctx).List(name, page)
	if err != nil {
		return operation.Page[Scorecard]{}, err
	}
	list := make([]Scorecard, len(rows))
	for i, row := range rows {
		card, err := readScorecard(row)
		if err != nil {
			return operation.Page[Scorecard]{}, err
		}
		list[i] = Scorecard{row, card}
	}
	return operation.Paged(l, p, list, more, func(c Scorecard) (int64, string) { return c.CreatedMicros, c.ID }, filters...), nil
}

// Write writes the scorecard: its document, which has the name, and what is
// known about it.
func (c Scorecard) Write(w *wire.Writer) {
	least, most := c.card.Bounds()
	w.Object().Key("id").String(c.ID).Key("version").Int(c.Version).Key("status").String("active")
	w.Key("checksum").String(c.Checksum).Members(c.Document)
	w.Key("min_points").Decimal(int64(least), rule.Places).Key("max_points").Decimal(int64(most), rule.Places)
	w.Key("created_at").String(operation.Clock(c.CreatedMicros)).Key("created_by").String(c.CreatedBy).EndObject()
}

// score scores one applicant or several. Nothing is stored.
func (s *Service) score(ctx context.Context, p tenant.Principal, body wire.Value) (operation.Answer, error) {
	card, id, err := s.scoredWith(ctx, p, body)
	if err != nil {
		return operation.Answer{}, err
	}
	inputs, warnings, err := readInputs(body, card)
	if err != nil {
		return operation.Answer{}, err
	}
	grade, err := s.grading(ctx, p, body)
	if err != nil {
		return operation.Answer{}, err
	}
	scorer := engine.CompileScorecard(card, field.Catalogue())
	write := func(w *wire.Writer, facts *rule.Facts, warnings []fault.Item) {
		result := scorer.Score(facts)
		w.Object()
		operation.Optional(w, "scorecard_id", id)
		result.WriteMembers(w)
		if g, ok := grade(result.Final, facts.Get(field.BureauIsNTC).IsTrue()); ok {
			w.Key("grade").String(g)
		}
		writeInputWarnings(w, warnings)
		w.EndObject()
	}
	var w wire.Writer
	if body.Get("input").Given() {
		write(&w, inputs[0], warnings)
	} else {
		w.Object().Key("data").Array()
		for _, facts := range inputs {
			if err := ctx.Err(); err != nil {
				return operation.Answer{}, err
			}
			write(&w, facts, nil)
		}
		w.EndArray()
		writeInputWarnings(&w, warnings)
		w.EndObject()
	}
	return operation.Answer{Status: operation.StatusOK, Body: w.Buf}, nil
}

// scoredWith is the scorecard a request names, or brings along.
func (s *Service) scoredWith(ctx context.Context, p tenant.Principal, body wire.Value) (card *engine.Scorecard, id string, err error) {
	named := body.Get("scorecard_id")
	switch {
	case named.Given() && body.Get("factors").Given():
		return nil, "", operation.Invalid("/scorecard_id", fault.CodeInvalidField, "give either scorecard_id or factors")
	case named.Given():
		if named.Kind() != wire.String {
			return nil, "", operation.Invalid("/scorecard_id", fault.CodeWrongType, "must be the id of a scorecard")
		}
		var faults fault.List
		f := wire.NewForm(body, &faults)
		f.Known("scorecard_id", "input", "inputs", "policy_key")
		f.OrNull([]string{"name", "base_points", "min_score", "max_score", "pdo", "anchor_score", "anchor_odds", "factors"})
		if f.Done(); faults.Len() > 0 {
			return nil, "", faults.Err()
		}
		card, err = s.scorecard(ctx, s.core.Scope(p), named.Text())
		return card, named.Text(), err
	case !body.Get("factors").Given():
		return nil, "", operation.Invalid("/scorecard_id", fault.CodeRequired, "is required to score, unless the body brings its factors")
	}
	var w wire.Writer
	w.Object()
	for name, member := range body.Members() {
		if name != "scorecard_id" && name != "input" && name != "inputs" && name != "policy_key" {
			w.Name(name).Value(member)
		}
	}
	w.EndObject()
	inline, err := wire.Parse(w.Buf)
	if err != nil {
		return nil, "", err
	}
	card, err = engine.ReadScorecard(inline, field.Catalogue())
	return card, "", err
}

// grading is how the active policy grades a score; without one nothing is
// graded.
func (s *Service) grading(ctx context.Context, p tenant.Principal, body wire.Value) (func(score rule.Number, newToCredit bool) (string, bool), error) {
	key, ok := KeyOf(body)
	if !ok {
		return nil, operation.Invalid("/policy_key", fault.CodeInvalidField, field.PolicyKeyText)
	}
	active, err := s.ActivePolicy(ctx, p, key)
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Code == fault.CodeNoActivePolicy {
		return func(rule.Number, bool) (string, bool) { return "", false }, nil
	}
	if err != nil {
		return nil, err
	}
	return active.Plan.GradeOf, nil
}

func (s *Service) roomForScorecard(tx *store.Tx) error {
	return operation.Capped(tx.Scorecards().Count, s.options.MaxScorecards, "scorecards",
		"use those, or ask whoever runs the service to raise -max-scorecards")
}
