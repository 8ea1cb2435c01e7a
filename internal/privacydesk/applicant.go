package privacydesk

import (
	"context"
	"slices"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/decisioning"
	"verdict/internal/exposuredesk"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// maxListed is the maximum number of entries of each kind that Applicant returns. The kinds are runs, alerts,
// exposures, holds and roles.
const maxListed = store.MaxPage

// Applicant contains everything that is held about an applicant.
type Applicant struct {
	Ref string
	// Decisions is a page of the applicant's decisions, oldest first. The other members are the same on every page.
	Decisions     operation.Page[decisioning.Explained]
	DecisionCount int64
	Offers        map[string]decisioning.OfferState // by decision id: what the borrower is told about the offer
	Runs          []ApplicantRun                    // the newest maxListed, oldest first
	RunCount      int64
	Alerts        []ApplicantAlert        // the oldest maxListed
	Exposures     []exposuredesk.Exposure // the oldest maxListed
	Holds         []Hold                  // holds in force
	Erasure       *Erasure                // deferred or running; nil if there is none
	Roles         []decisioning.Role      // roles in the newest maxListed decisions on other applicants, oldest first
	RoleCount     int64
	Linked        bool // there are links to accounts, devices and the like
	Zones         []ApplicantZone
}

// ApplicantRun is a run of an agent about an applicant.
type ApplicantRun struct {
	ID            string
	Agent         string
	Outcome       string
	DecisionID    string // "" for an agent that decides nothing
	CreatedMicros int64
}

// ApplicantAlert is a fraud alert that names an applicant.
type ApplicantAlert struct {
	ID            string
	Type          string
	Severity      string
	Status        string
	Resolution    string
	CreatedMicros int64
}

// ApplicantZone says until when the documents of a zone are stored.
type ApplicantZone struct {
	Zone        string
	Period      string // "" if the documents are kept without limit
	Basis       string
	UntilMicros int64 // when the period of the last document ends; 0 if the documents are kept without limit
}

// Applicant returns everything that is held about an applicant. It returns one page of the decisions, as
// decisioning.Service.Decision returns them. It returns NotFound if nothing is held. An entry in the audit trail
// names the caller.
func (s *Service) Applicant(
	ctx context.Context, p tenant.Principal, ref string, l operation.List, how ...decisioning.Option,
) (Applicant, error) {
	if err := p.Require(tenant.PrivacyManage | tenant.Read); err != nil {
		return Applicant{}, err
	}
	if ref == "" || len(ref) > maxReference || strings.ContainsRune(ref, 0) || strings.ToValidUTF8(ref, "") != ref {
		return Applicant{}, nothingHeld()
	}
	scope := s.core.Scope(p)
	person := store.Person{ApplicantRef: ref}
	if _, err := s.checkHeld(ctx, scope, person); err != nil {
		return Applicant{}, err
	}
	w := work{s: s, scope: scope, person: person}
	if err := w.findAlias(ctx); err != nil {
		return Applicant{}, err
	}
	out := Applicant{Ref: ref}
	l.Ascending = true
	list, err := s.decisions.Decisions(ctx, p, decisioning.DecisionFilter{ApplicantID: ref}, l)
	if err != nil {
		return Applicant{}, err
	}
	out.Decisions = operation.Page[decisioning.Explained]{Limit: list.Limit, NextCursor: list.NextCursor}
	out.Offers = map[string]decisioning.OfferState{}
	for i := range list.Data {
		id := list.Data[i].ID
		d, err := s.decisions.Decision(ctx, p, id, how...)
		if err != nil {
			return Applicant{}, err
		}
		if out.Offers[id], err = s.decisions.OfferState(ctx, p, id); err != nil {
			return Applicant{}, err
		}
		out.Decisions.Data = append(out.Decisions.Data, d.WithoutOthers())
	}
	if err := s.roles(ctx, p, &out, how); err != nil {
		return Applicant{}, err
	}
	if out.Exposures, err = s.exposures.Of(ctx, scope, ref, maxListed); err != nil {
		return Applicant{}, err
	}
	if err := scope.Read(ctx, func(tx *store.Tx) error { return s.describe(tx, &w, &out) }); err != nil {
		return Applicant{}, err
	}
	audit := s.core.Audit(p, s.core.Moment(), operation.ActionApplicantRead, w.alias, "")
	return out, scope.Write(ctx, func(tx *store.Tx) error { return tx.Audit().Add(audit) })
}

// Standing contains the legal holds that prevent an erasure of a person, and the erasure that waits or is running.
type Standing struct {
	Holds   []Hold   // holds in force
	Erasure *Erasure // deferred or running; nil if there is none
}

// Standing returns the legal holds and the erasure of an applicant, or of a decision that names no applicant.
func (s *Service) Standing(ctx context.Context, p tenant.Principal, applicantRef, decisionID string) (Standing, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Standing{}, err
	}
	person := store.Person{ApplicantRef: applicantRef}
	if applicantRef == "" {
		person.DecisionID = decisionID
	}
	var out Standing
	now := s.core.Now().UnixMicro()
	err := s.core.Scope(p).Read(ctx, func(tx *store.Tx) error {
		out = Standing{} // the read may be repeated
		holds, err := tx.LegalHolds().Of(person, now)
		if err != nil {
			return err
		}
		for i := range holds {
			out.Holds = append(out.Holds, holdOf(&holds[i], now))
		}
		e, open, err := tx.Erasures().Open(person)
		if open {
			r := receipt(&e, store.KeyEpochs{})
			out.Erasure = &r
		}
		return err
	})
	return out, err
}

// describe reads everything except decisions, roles and exposures.
func (s *Service) describe(tx *store.Tx, w *work, out *Applicant) error {
	now := s.core.Now().UnixMicro()
	totals, err := tx.Erasures().Totals(out.Ref)
	if err != nil {
		return err
	}
	out.DecisionCount, out.RunCount = totals.Decisions, totals.Runs
	held, err := tx.Erasures().Held(w.person, 1)
	if err != nil {
		return err
	}
	out.Linked = held.Linked
	if err := listed(tx, w, out, now); err != nil {
		return err
	}
	if e, open, err := tx.Erasures().Open(w.person); err != nil {
		return err
	} else if open {
		r := receipt(&e, store.KeyEpochs{})
		out.Erasure = &r
	}
	r, err := s.retention(tx)
	if err != nil {
		return err
	}
	out.Zones = nil // the read may be repeated
	for _, z := range r.Zones {
		newest := totals.NewestMicros
		switch z.Zone {
		case zoneRuns:
			newest = totals.NewestRun
		case zoneLoans:
			newest, err = tx.Retention().NewestClosedLoan(out.Ref)
		case zoneLinks:
			newest = 0 // the applicant must not learn about fraud detection
		}
		if err != nil {
			return err
		}
		if newest == 0 || deletes(z.Zone) && z.Period == "" {
			continue
		}
		zone := ApplicantZone{Zone: z.Zone, Period: z.Period, Basis: z.Basis}
		if period, err := civil.ParsePeriod(z.Period); err == nil {
			zone.UntilMicros = period.End(civil.DayAt(time.UnixMicro(newest))).At(0, civil.India).UnixMicro()
		}
		out.Zones = append(out.Zones, zone)
	}
	endWithAnswers(out.Zones)
	return nil
}

// endWithAnswers limits the end of every zone of a decision to the end of the zone of its answer. When the answer
// of a decision is erased, all its other documents are erased too.
func endWithAnswers(zones []ApplicantZone) {
	answers := slices.IndexFunc(zones, func(z ApplicantZone) bool { return z.Zone == sealing.Response.String() })
	if answers < 0 || zones[answers].UntilMicros == 0 {
		return
	}
	end := zones[answers].UntilMicros
	for i := range zones {
		if z := &zones[i]; z.Zone != zoneRuns && !deletes(z.Zone) && (z.UntilMicros == 0 || z.UntilMicros > end) {
			z.UntilMicros = end
		}
	}
}

// listed reads runs, alerts and holds.
func listed(tx *store.Tx, w *work, out *Applicant, nowMicros int64) error {
	runs, err := tx.Erasures().Runs(out.Ref, maxListed)
	if err != nil {
		return err
	}
	out.Runs, out.Alerts, out.Holds = nil, nil, nil // the read may be repeated
	for i := range runs {
		r := &runs[i]
		out.Runs = append(out.Runs, ApplicantRun{r.ID, r.Agent, r.Outcome, r.DecisionID, r.CreatedMicros})
	}
	alerts, err := tx.Alerts().Naming(out.Ref, w.alias, maxListed)
	if err != nil {
		return err
	}
	for i := range alerts {
		a := &alerts[i]
		out.Alerts = append(out.Alerts,
			ApplicantAlert{a.ID, a.Type, a.Severity, a.Status, a.Resolution, a.CreatedMicros})
	}
	holds, err := tx.LegalHolds().Of(w.person, nowMicros)
	for i := range holds {
		out.Holds = append(out.Holds, holdOf(&holds[i], nowMicros))
	}
	return err
}
