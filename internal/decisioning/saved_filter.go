package decisioning

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Filters stores the filters that people have saved for the list of decisions. A filter belongs to one person in one
// environment, and nobody else can read it.
//
// Each operation requires a person with the scope read (Forbidden). Besides the errors listed here, any operation may
// fail with a storage error.
//
//	Saved    returns the caller's filters
//	Save     stores a filter: Invalid, cap_reached
//	Forget   deletes a filter
type Filters struct{ core *operation.Core }

// NewFilters returns the service.
func NewFilters(core *operation.Core) *Filters { return &Filters{core} }

// The limits of saved filters.
const (
	MaxSavedFilters = 20 // for each person and environment
	maxFilterName   = 60 // characters
	maxFilterQuery  = 500
)

// SavedFilter is a filter with the name under which it was saved. Query is the text of the filter as the caller wrote
// it. It must not have a reference or another text that identifies an applicant, because an erasure does not search
// saved filters.
type SavedFilter struct{ Name, Query string }

// Saved returns the caller's filters, by name.
func (s *Filters) Saved(ctx context.Context, p tenant.Principal) ([]SavedFilter, error) {
	if err := maySave(p); err != nil {
		return nil, err
	}
	found, err := s.core.Scope(p).SavedFilters(ctx).Of(p.UserID)
	list := make([]SavedFilter, len(found))
	for i, f := range found {
		list[i] = SavedFilter{f.Name, f.Query}
	}
	return list, err
}

// Save stores a filter. It replaces the caller's filter of the same name.
func (s *Filters) Save(ctx context.Context, p tenant.Principal, f SavedFilter) error {
	if err := maySave(p); err != nil {
		return err
	}
	f.Name = strings.TrimSpace(f.Name)
	if err := f.check(); err != nil {
		return err
	}
	return s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		if err := tx.Lock(); err != nil { // another node must not add a filter between the count and the commit
			return err
		}
		found, err := tx.SavedFilters().Of(p.UserID)
		if err != nil {
			return err
		}
		known := slices.ContainsFunc(found, func(o store.SavedFilter) bool { return o.Name == f.Name })
		if !known && len(found) >= MaxSavedFilters {
			return fault.New(fault.Conflict, fault.CodeCapReached,
				"you have %d saved filters, which is the maximum; delete one first", MaxSavedFilters)
		}
		return tx.SavedFilters().Put(store.SavedFilter{
			UserID: p.UserID, Name: f.Name, Query: f.Query, SavedMicros: s.core.Moment().UnixMicro(),
		})
	})
}

// check returns the faults of a filter.
func (f *SavedFilter) check() error {
	var faults fault.List
	switch {
	case f.Name == "":
		faults.Add("/name", fault.CodeRequired, "give the filter a name")
	case utf8.RuneCountInString(f.Name) > maxFilterName:
		faults.Add("/name", fault.CodeOutOfRange, "must have at most %d characters", maxFilterName)
	case !utf8.ValidString(f.Name) || strings.ContainsFunc(f.Name, unicode.IsControl):
		faults.Add("/name", fault.CodeInvalidCharacter, "must not contain control characters")
	}
	if len(f.Query) > maxFilterQuery {
		faults.Add("/name", fault.CodeTooMany, "the filters are too long to be saved; remove one")
	}
	return faults.Err()
}

// Forget deletes a filter of the caller.
func (s *Filters) Forget(ctx context.Context, p tenant.Principal, name string) error {
	if err := maySave(p); err != nil {
		return err
	}
	return s.core.Scope(p).Write(ctx, func(tx *store.Tx) error { return tx.SavedFilters().Delete(p.UserID, name) })
}

// maySave refuses callers that are not people, such as API keys.
func maySave(p tenant.Principal) error {
	if err := p.Require(tenant.Read); err != nil {
		return err
	}
	if p.UserID == "" {
		return fault.New(fault.Forbidden, fault.CodeInsufficientScope, "only a person can save filters")
	}
	return nil
}
