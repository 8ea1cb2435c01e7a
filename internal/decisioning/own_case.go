package decisioning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdict/internal/admission"
	"verdict/internal/application"
	"verdict/internal/exposure"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// ownCase has the lender's earlier decisions and exposures for the people of an application.
type ownCase struct {
	people     []ownPerson   // the primary applicant first
	requestKey string        // the keyed hash by which a repetition of the request is recognised
	terms      OfferTerms    // the terms of the offers that were read
	keys       *journal.Tree // the keys that decrypt the exposures; if nil, the keys of the case decrypt them
	derived    []string      // names of the derived facts; the next derivation removes them
	tries      int           // how often prepareOwn was called
}

// ownPerson is a person of an application whom the request names.
type ownPerson struct {
	ref  string
	role string    // "" for the primary applicant
	read store.Own // the result of the last read
}

// repeatWindow is the time after a request during which a repetition of the request is recognised.
const repeatWindow = 10 * time.Minute

// keptRequests is how long requests are remembered. It is longer than repeatWindow, because the clocks of nodes differ.
const keptRequests = 2 * repeatWindow

// requestKind is the kind of the keyed hash by which a repetition of a request is recognised.
const requestKind = "request of an applicant"

// errNotPrepared rolls back a transaction that needs keys, rule sets or journal entries that were not looked up
// before it. The transaction does not look them up itself, because it must not wait for other reads.
var errNotPrepared = errors.New("something was not looked up before the transaction")

// maxOwnTries limits how often the data that a transaction needs is looked up. The second try nearly always succeeds.
// A try that found an unknown rule set does not count: if the applicant applies for many products at the same moment,
// each transaction may need another rule set.
const maxOwnTries = 5

func ownBusy() error {
	return fault.New(fault.Unavailable, fault.CodeUnavailable,
		"the decisions or exposures of this applicant are changing at the moment; try again later")
}

// newOwnCase prepares to read the lender's earlier decisions, if the request names the applicant.
func (s *Service) newOwnCase(
	ctx context.Context, p tenant.Principal, c *creditCase, request application.Request,
) error {
	ref := c.applicantRef()
	if ref == "" {
		c.app.Facts.Set(field.OwnReference, rule.Bool(false))
		return nil
	}
	keyed, err := s.core.Keyed(ctx, operation.ScopeOf(p))
	if err != nil {
		return err
	}
	body := request.Append(append([]byte(ref), 0))
	c.own = &ownCase{
		people:     []ownPerson{{ref: ref}},
		requestKey: keyed(requestKind, string(body)),
	}
	c.own.terms.AddDays(c.policy.ID, c.policy.Plan.Policy().OfferValidityDays)
	for _, other := range c.app.Others {
		c.own.people = append(c.own.people, ownPerson{ref: other.Ref, role: other.Role})
	}
	return nil
}

// readAll reads the lender's earlier decisions for each person.
func (o *ownCase) readAll(from store.ExposureReader, now time.Time) (err error) {
	for i := range o.people {
		if o.people[i].read, err = from.Own(o.query(o.people[i].ref, now)); err != nil {
			return err
		}
	}
	return nil
}

func (o *ownCase) query(ref string, now time.Time) store.OwnQuery {
	return store.OwnQuery{
		ApplicantRef:   ref,
		SinceID:        tenant.FirstID(tenant.KindDecision, now.Add(-MaxOfferLife)),
		RequestKey:     o.requestKey,
		RepeatedMicros: now.Add(-repeatWindow).UnixMicro(),
	}
}

// countOwn reads the lender's earlier decisions in the transaction of the decision, and sets the facts. Transactions
// of a scope are serial, so the second of two decisions at the same moment counts the first.
func (c *creditCase) countOwn(tx *store.Tx) error {
	if c.own == nil {
		return nil
	}
	if err := c.own.readAll(tx.Exposures().ExposureReader, c.now); err != nil {
		return err
	}
	return c.deriveOwn(tx.Environment(), c.now)
}

// rememberOwn stores the request, so that a repetition of it is recognised.
func (c *creditCase) rememberOwn(tx *store.Tx) error {
	if c.own == nil {
		return nil
	}
	return tx.Exposures().Remember(c.own.requestKey, c.id, c.made.UnixMicro())
}

// peek reads all counts for an application that is not recorded: see creditCase.peek.
func (s *Service) peek(ctx context.Context, scope *store.Scope, c *creditCase, now time.Time) error {
	if err := c.peek(ctx, scope, now); err != nil || c.own == nil {
		return err
	}
	own := *scope // a copy, so that the scope of a request that counts nothing stays on the stack
	return s.peekOwn(ctx, &own, c, now)
}

func (s *Service) peekOwn(ctx context.Context, scope *store.Scope, c *creditCase, now time.Time) error {
	for {
		if err := c.own.readAll(scope.Exposures(ctx), now); err != nil {
			return err
		}
		if err := c.deriveOwn(scope.Environment(), now); !errors.Is(err, errNotPrepared) {
			return err
		}
		if err := s.prepareOwn(ctx, scope, c); err != nil {
			return err
		}
	}
}

// prepareOwn looks up the data that the last transaction lacked: the keys of exposures, how long offers were valid,
// and the outcomes of decisions from before the journal.
func (s *Service) prepareOwn(ctx context.Context, scope *store.Scope, c *creditCase) (err error) {
	own := c.own
	if own.tries++; own.tries > maxOwnTries {
		return ownBusy()
	}
	if err := admission.Checkpoint(ctx); err != nil { // wait for the processor slot that the write gave up
		return err
	}
	load := s.core.Keys.Tree
	if own.keys != nil {
		load = s.core.Keys.Reload // the applicant may have been erased on another node and have applied again
	}
	tree, err := load(ctx, scope.Tenant())
	if err != nil {
		return err
	}
	own.keys = tree
	var older []string
	before := own.terms.Size()
	defer func() {
		if own.terms.Size() > before {
			own.tries--
		}
	}()
	for i := range own.people {
		read := &own.people[i].read
		own.keys, err = s.core.Keys.WithExposures(ctx, own.keys, scope.Environment(), read.Exposures)
		if err != nil {
			return err
		}
		for i := range read.Decisions {
			d := &read.Decisions[i]
			if d.Plain == "" && !slices.Contains(older, d.ID) {
				older = append(older, d.ID)
			}
			made := offerOf(d, ProfileOf(d.Plain))
			if err := s.AddOfferTerms(ctx, scope, &own.terms, &made); err != nil {
				return err
			}
		}
	}
	return s.Audit.AddEntries(ctx, scope, older)
}

// deriveOwn sets the facts about the earlier decisions that were read. It returns errNotPrepared if prepareOwn must
// be called first.
func (c *creditCase) deriveOwn(environment string, now time.Time) error {
	own := c.own
	for _, name := range own.derived {
		c.app.Facts.Set(name, rule.Value{})
	}
	own.derived = own.derived[:0]
	keys := own.keys
	if keys == nil {
		keys = c.keys
	}
	for i := range own.people {
		p := &own.people[i]
		person, err := own.person(environment, keys, &p.read)
		if err != nil {
			return err
		}
		of := exposure.Application{PolicyKey: c.policy.Key}
		if p.role != "" {
			of.Primary = own.people[0].ref
		}
		person.Derive(now, of, func(name string, v rule.Value) {
			if p.role != "" && name == field.OwnReference {
				return // this fact is only about the primary applicant
			}
			if p.role != "" {
				name = field.OfRole(p.role, name)
			}
			if c.wantsOwn(name) {
				c.app.Facts.Set(name, v)
				own.derived = append(own.derived, name)
			}
		})
	}
	return nil
}

// wantsOwn reports whether a fact about earlier decisions is stored. Facts about guarantees are stored only if the
// policy reads them. Under other policies, decisions therefore store the same facts as before guarantees were
// introduced.
func (c *creditCase) wantsOwn(name string) bool {
	if !strings.HasSuffix(name, field.OwnGuaranteedOffer) && !strings.HasSuffix(name, field.OwnGuaranteedOutstanding) {
		return true
	}
	id, known := field.Catalogue().Lookup(name)
	return known && c.policy.Plan.Reads(id)
}

// offerOf returns the data of an earlier decision that determines when its offer ends.
func offerOf(d *store.OwnDecision, profile int64) MadeOffer {
	return MadeOffer{
		RuleSetID:      d.PolicyID,
		Profile:        profile,
		CreatedMicros:  d.CreatedMicros,
		ApprovedMicros: d.ApprovedMicros,
	}
}

// person converts the data that was read into the form from which facts are derived.
func (o *ownCase) person(environment string, keys *journal.Tree, read *store.Own) (p exposure.Person, err error) {
	for i := range read.Decisions {
		d := &read.Decisions[i]
		if d.Plain == "" {
			return p, errNotPrepared
		}
		outcome, _, err := journal.ReadPlain(d.Plain)
		if err != nil {
			return p, operation.AsDefect(fmt.Errorf("decision %s: %w", d.ID, err))
		}
		made := offerOf(d, outcome.Profile)
		end, known := o.terms.End(&made)
		if !known {
			return p, errNotPrepared
		}
		p.Decisions = append(p.Decisions, exposure.Decision{
			AtMicros:   d.CreatedMicros,
			Status:     d.Status,
			Review:     d.Review,
			PolicyKey:  d.PolicyKey,
			LimitPaise: outcome.LimitPaise,
			EndMicros:  end,
			Booked:     d.Booked,
			Primary:    d.PrimaryRef,
			Other:      d.Role != "",
			Guarantees: d.Role == field.Guarantor,
		})
	}
	for i := range read.Exposures {
		e := read.Exposures[i] // a copy, because OpenExposure replaces the document
		if keys == nil {
			return p, errNotPrepared
		}
		if err := keys.OpenExposure(environment, &e); err != nil {
			if o.tries < maxOwnTries {
				return p, errNotPrepared // other keys may be able to decrypt it
			}
			return p, operation.AsDefect(err)
		}
		loan, err := exposure.Decode(e.Document)
		if err != nil {
			return p, operation.AsDefect(fmt.Errorf("exposure %s: %w", e.ID, err))
		}
		if e.Role == field.Guarantor {
			p.Guaranteed = append(p.Guaranteed, loan)
		} else {
			p.Loans = append(p.Loans, loan)
		}
	}
	return p, nil
}

// PurgeRequests deletes the requests that need not be recognised any more.
func (s *Service) PurgeRequests(ctx context.Context) {
	before := s.core.Now().Add(-keptRequests).UnixMicro()
	s.core.PurgeAll(ctx, "recent requests", func(limit int) (int64, error) {
		return s.core.DB.System().PurgeRecentRequests(ctx, before, limit)
	})
}
