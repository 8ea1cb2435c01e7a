package exposuredesk

import (
	"context"
	"errors"

	"verdict/internal/exposure"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/offerdesk"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// MaxOpen is the maximum number of open exposures of a person, because every decision about the person reads them.
const MaxOpen = 100

// Service offers the operations on exposures. It is safe for concurrent use.
type Service struct {
	core   *operation.Core
	offers *offerdesk.Service
}

// New returns a Service over the database of core. It uses the service offers to find out which offers were
// replaced.
func New(core *operation.Core, offers *offerdesk.Service) *Service {
	return &Service{core: core, offers: offers}
}

// Exposure is a loan of an applicant.
type Exposure struct {
	ID            string
	ApplicantRef  string
	DecisionID    string // "" if the loan was not made on a decision
	Loan          exposure.Loan
	CreatedMicros int64
	UpdatedMicros int64
	ClosedMicros  int64        // 0 if it is not closed
	Warnings      []fault.Item // warnings about the report
}

// Closed reports whether the loan is closed.
func (e *Exposure) Closed() bool { return e.ClosedMicros != 0 }

// open returns a stored exposure with its document decrypted.
func (s *Service) open(tree *journal.Tree, environment string, row store.Exposure) (Exposure, error) {
	if err := tree.OpenExposure(environment, &row); err != nil {
		return Exposure{}, err
	}
	loan, err := exposure.Decode(row.Document)
	if err != nil {
		return Exposure{}, operation.AsDefect(err)
	}
	return Exposure{
		ID:            row.ID,
		ApplicantRef:  row.ApplicantRef,
		DecisionID:    row.DecisionID,
		Loan:          loan,
		CreatedMicros: row.CreatedMicros,
		UpdatedMicros: row.UpdatedMicros,
		ClosedMicros:  row.ClosedMicros,
	}, nil
}

// openAll decrypts stored exposures. If one cannot be decrypted, the keys in memory may be out of date, because
// somebody was erased on another node. In that case openAll gets the rows once more, from the function "again", and
// uses the present keys.
func (s *Service) openAll(
	ctx context.Context, scope *store.Scope, rows []store.Exposure, again func() ([]store.Exposure, error),
) ([]Exposure, error) {
	load := s.core.Keys.Tree
	for try := 0; ; try++ {
		tree, err := load(ctx, scope.Tenant())
		if err == nil {
			tree, err = s.core.Keys.WithExposures(ctx, tree, scope.Environment(), rows)
		}
		if err != nil {
			return nil, err
		}
		list, err := s.openWith(tree, scope.Environment(), rows)
		var unreadable journal.Unreadable
		if !errors.As(err, &unreadable) {
			return list, err
		}
		if try > 0 {
			return nil, operation.AsDefect(err)
		}
		load = s.core.Keys.Reload
		if rows, err = again(); err != nil {
			return nil, err
		}
	}
}

func (s *Service) openWith(tree *journal.Tree, environment string, rows []store.Exposure) ([]Exposure, error) {
	list := make([]Exposure, len(rows))
	for i := range rows {
		var err error
		if list[i], err = s.open(tree, environment, rows[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Exposures lists the exposures of an applicant, or of all applicants if applicantRef is "".
func (s *Service) Exposures(
	ctx context.Context, p tenant.Principal, applicantRef string, l operation.List,
) (operation.Page[Exposure], error) {
	if err := p.Require(tenant.FactsRead); err != nil {
		return operation.Page[Exposure]{}, err
	}
	var faults fault.List
	faults.Check("").Text("applicant_ref", applicantRef, operation.MaxReference)
	if err := faults.Err(); err != nil {
		return operation.Page[Exposure]{}, err
	}
	filters := []string{"exposures", applicantRef}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Exposure]{}, err
	}
	scope := s.core.Scope(p)
	more := false
	read := func() (rows []store.Exposure, err error) {
		rows, more, err = scope.Exposures(ctx).List(applicantRef, page)
		return rows, err
	}
	rows, err := read()
	if err != nil {
		return operation.Page[Exposure]{}, err
	}
	list, err := s.openAll(ctx, scope, rows, read)
	if err != nil {
		return operation.Page[Exposure]{}, err
	}
	key := func(e Exposure) (int64, string) { return e.CreatedMicros, e.ID }
	return operation.Paged(l, p, list, more, key, filters...), nil
}

// Of returns the exposures of a person, the oldest first and at most limit.
func (s *Service) Of(ctx context.Context, scope *store.Scope, applicantRef string, limit int) ([]Exposure, error) {
	read := func() ([]store.Exposure, error) {
		rows, _, err := scope.Exposures(ctx).List(applicantRef, store.Page{Limit: limit})
		return rows, err
	}
	rows, err := read()
	if err != nil {
		return nil, err
	}
	return s.openAll(ctx, scope, rows, read)
}
