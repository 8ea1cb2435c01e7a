package policydesk

import (
	"context"
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

// Scorecard is a stored scorecard.
type Scorecard struct {
	ID            string
	Name          string
	Version       int64
	Document      engine.Document // complete, with the name
	Checksum      string
	CreatedMicros int64
	CreatedBy     string
	Card          *engine.Scorecard // the parsed document
}

func scorecardOf(c store.Scorecard, card *engine.Scorecard) Scorecard {
	return Scorecard{
		ID:            c.ID,
		Name:          c.Name,
		Version:       c.Version,
		Document:      c.Document,
		Checksum:      c.Checksum,
		CreatedMicros: c.CreatedMicros,
		CreatedBy:     c.CreatedBy,
		Card:          card,
	}
}

// CheckScorecardName adds a fault if the name of a scorecard to be stored is empty.
func CheckScorecardName(name string, faults *fault.List) {
	faults.Check("").Require("name", name != "", "a name people will recognise the scorecard by")
}

// CreateScorecard stores a scorecard, which must have a name.
func (s *Service) CreateScorecard(
	ctx context.Context, p tenant.Principal, card *engine.Scorecard, r *operation.Reply[Scorecard],
) (Scorecard, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Scorecard{}, err
	}
	var faults fault.List
	CheckScorecardName(card.Name, &faults)
	if err := faults.Err(); err != nil {
		return Scorecard{}, err
	}
	return operation.Write(ctx, s.core, s.core.Scope(p), r, s.NewScorecard(p, card).Store)
}

// ScorecardInsert is a new scorecard that is ready to be stored. Its id is chosen before the
// transaction, because the transaction may be retried.
type ScorecardInsert struct {
	desk   *Service
	card   *engine.Scorecard
	record store.Scorecard
	audit  store.AuditEntry
	plan   tenant.PricePlan
}

// NewScorecard prepares a scorecard of the caller, so that a transaction can store it.
func (s *Service) NewScorecard(p tenant.Principal, card *engine.Scorecard) ScorecardInsert {
	now := s.core.Moment()
	record := store.Scorecard{
		ID:            s.core.IDs.New(tenant.KindScorecard, now),
		Name:          card.Name,
		Document:      card.Document(),
		Checksum:      card.Checksum(),
		CreatedMicros: now.UnixMicro(),
		CreatedBy:     operation.Actor(p),
	}
	audit := s.core.Audit(p, now, operation.ActionScorecardCreated, record.ID, "")
	audit.AfterChecksum = record.Checksum
	return ScorecardInsert{desk: s, card: card, record: record, audit: audit, plan: p.Plan}
}

// Store stores the scorecard with its audit entry. It returns cap_reached if there are too many
// scorecards, or if the plan does not allow their size.
func (i ScorecardInsert) Store(tx *store.Tx) (Scorecard, error) {
	if err := i.desk.roomForScorecard(tx); err != nil {
		return Scorecard{}, err
	}
	stored, err := tx.Scorecards().Insert(i.record)
	if err == nil {
		err = operation.CheckStored(tx, i.plan)
	}
	if err != nil {
		return Scorecard{}, err
	}
	return scorecardOf(stored, i.card), tx.Audit().Add(i.audit)
}

// scorecard returns a stored scorecard of the scope, or NotFound.
func (s *Service) scorecard(ctx context.Context, scope *store.Scope, id string) (*engine.Scorecard, error) {
	if !tenant.Valid(tenant.KindScorecard, id) {
		return nil, fault.Missing("scorecard")
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

// StoredScorecard returns a scorecard. It returns NotFound if there is no such scorecard.
func (s *Service) StoredScorecard(ctx context.Context, p tenant.Principal, id string) (Scorecard, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Scorecard{}, err
	}
	if !tenant.Valid(tenant.KindScorecard, id) {
		return Scorecard{}, fault.Missing("scorecard")
	}
	stored, err := s.core.Scope(p).Scorecards(ctx).Get(id)
	if err != nil {
		return Scorecard{}, err
	}
	card, err := readScorecard(stored)
	return scorecardOf(stored, card), err
}

// Scorecards returns a page of the stored scorecards. If name is not empty, it returns only
// scorecards with that name.
func (s *Service) Scorecards(
	ctx context.Context, p tenant.Principal, name string, l operation.List,
) (operation.Page[Scorecard], error) {
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
		list[i] = scorecardOf(row, card)
	}
	last := func(c Scorecard) (int64, string) { return c.CreatedMicros, c.ID }
	return operation.Paged(l, p, list, more, last, filters...), nil
}

// Scoring is a request for the scores of applicants, by a stored scorecard or by a
// scorecard in the request.
type Scoring struct {
	ScorecardID string            // "" to score with Card
	Card        *engine.Scorecard // not used if ScorecardID is set
	Applicants  engine.Applicants
	PolicyKey   string // the key of the active policy that grades the scores; "" for the default key
}

// Scores holds the scores of applicants, in the order of the applicants.
type Scores struct {
	ScorecardID string // "" if the scorecard was in the request
	List        []ApplicantScore
	Listed      bool         // the applicants were sent as a list
	Warnings    []fault.Item // about valid values that look like mistakes
}

// ApplicantScore is the score of one applicant.
type ApplicantScore struct {
	engine.Score
	Grade string // grade by the active policy; "" if no policy is active or no band contains the score
}

// Score scores applicants. It stores nothing except the answer to a request with an
// Idempotency-Key.
func (s *Service) Score(
	ctx context.Context, p tenant.Principal, ask Scoring, r *operation.Reply[Scores],
) (Scores, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Scores{}, err
	}
	return operation.ComputeOnce(ctx, s.core, p, r, func() (Scores, error) {
		return s.score(ctx, p, ask)
	})
}

func (s *Service) score(ctx context.Context, p tenant.Principal, ask Scoring) (out Scores, err error) {
	card := ask.Card
	switch {
	case ask.ScorecardID == "" && card == nil:
		return Scores{}, operation.Invalid("/scorecard_id", fault.CodeRequired, "is required to score")
	case ask.ScorecardID != "":
		if card, err = s.scorecard(ctx, s.core.Scope(p), ask.ScorecardID); err != nil {
			return Scores{}, err
		}
	}
	applicants, warnings, err := ask.Applicants.Read(card)
	if err != nil {
		return Scores{}, err
	}
	grade, err := s.grading(ctx, p, ask.PolicyKey)
	if err != nil {
		return Scores{}, err
	}

	out = Scores{ScorecardID: ask.ScorecardID, Listed: ask.Applicants.IsList(), Warnings: warnings}
	scorer := engine.CompileScorecard(card, field.Catalogue())
	for _, facts := range applicants {
		if err := ctx.Err(); err != nil {
			return Scores{}, err
		}
		one := ApplicantScore{Score: scorer.Score(facts)}
		one.Grade, _ = grade(one.Final, facts.Get(field.BureauIsNTC).IsTrue())
		out.List = append(out.List, one)
	}
	return out, nil
}

// grading returns the function with which the active policy grades scores. If no policy is active,
// the function returns no grade.
func (s *Service) grading(
	ctx context.Context, p tenant.Principal, key string,
) (func(score rule.Number, newToCredit bool) (string, bool), error) {
	if key == "" {
		key = field.DefaultPolicyKey
	}
	if !field.IsPolicyKey(key) {
		return nil, operation.Invalid("/policy_key", fault.CodeInvalidField, field.PolicyKeyText)
	}
	active, err := s.ActivePolicy(ctx, p, key)
	if fault.CodeOf(err) == fault.CodeNoActivePolicy {
		return func(rule.Number, bool) (string, bool) { return "", false }, nil
	}
	if err != nil {
		return nil, err
	}
	return active.Plan.GradeOf, nil
}

func (s *Service) roomForScorecard(tx *store.Tx) error {
	return operation.CheckCap(tx, tx.Scorecards().Count, s.options.MaxScorecards, "scorecards",
		"use one of them, or ask the operator of the service to raise -max-scorecards")
}
