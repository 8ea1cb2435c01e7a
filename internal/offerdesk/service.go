package offerdesk

import (
	"context"
	"fmt"

	"verdict/internal/cache"
	"verdict/internal/fault"
	"verdict/internal/loan"
	"verdict/internal/offer"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// Service offers the operations on documents and the lender profile. It is safe for concurrent use.
type Service struct {
	core      *operation.Core
	policies  *policydesk.Service
	versions  *cache.Cache[operation.ScopeID, int64]
	calendars *cache.Cache[versionID, *loan.Calendar]
}

// versionID names a version of the lender profile of a scope.
type versionID struct {
	operation.ScopeID
	version int64
}

const (
	// scopesCached is the number of scopes whose version is cached.
	scopesCached = 10_000
	// calendarsCached is the number of cached calendars. Each has at most a few hundred days.
	calendarsCached = 2_000
)

// New returns a Service over the database of core. policies provides the policies, which contain the texts of
// reasons for applicants.
func New(core *operation.Core, policies *policydesk.Service) *Service {
	s := &Service{core: core, policies: policies}
	s.versions = cache.New(scopesCached, cache.RefreshAfter, core.Now, s.loadVersion)
	s.calendars = cache.New(calendarsCached, 0, core.Now, s.loadCalendar) // a version never changes
	return s
}

func (s *Service) loadVersion(ctx context.Context, id operation.ScopeID) (int64, error) {
	return s.core.DB.Scope(id.Tenant, id.Environment).LenderProfiles(ctx).LatestVersion()
}

// Version returns the latest version of the lender profile, or 0 if there is none. Other nodes see a new version at
// most cache.RefreshAfter after it was stored.
func (s *Service) Version(ctx context.Context, id operation.ScopeID) (int64, error) {
	return s.versions.Get(ctx, id)
}

func (s *Service) loadCalendar(ctx context.Context, id versionID) (*loan.Calendar, error) {
	profile, err := s.profile(ctx, s.core.DB.Scope(id.Tenant, id.Environment), id.version)
	if err != nil {
		return nil, err
	}
	return profile.Calendar(), nil
}

// Calendar returns the working days that the documents of a decision state. version is the version of the lender
// profile with which the decision was stored. If it is 0, the first version applies. Calendar returns nil if there is
// no profile.
func (s *Service) Calendar(ctx context.Context, id operation.ScopeID, version int64) (*loan.Calendar, error) {
	if version == 0 {
		latest, err := s.Version(ctx, id)
		if err != nil || latest == 0 {
			return nil, err
		}
	}
	calendar, err := s.calendars.Get(ctx, versionID{id, max(version, 1)})
	return calendar, operation.MissingIsDefect(err)
}

// Profile is one version of the lender profile.
type Profile struct {
	offer.Profile
	Version       int64
	UpdatedMicros int64
	UpdatedBy     string
}

// Profile returns a version of the lender profile, or the latest version if version is 0. It returns NotFound if
// there is none.
func (s *Service) Profile(ctx context.Context, p tenant.Principal, version int64) (Profile, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Profile{}, err
	}
	return s.profile(ctx, s.core.Scope(p), version)
}

func (s *Service) profile(ctx context.Context, scope *store.Scope, version int64) (Profile, error) {
	stored, err := store.ConfigVersion{}, error(nil)
	if version == 0 {
		stored, err = scope.LenderProfiles(ctx).Latest()
	} else {
		stored, err = scope.LenderProfiles(ctx).At(version)
	}
	if err != nil {
		return Profile{}, err
	}
	if stored.Version == 0 {
		return Profile{}, fault.New(fault.NotFound, fault.CodeNotFound,
			"there is no lender profile yet; store one with PUT /v1/lender-profile")
	}
	document, err := wire.Parse(stored.Document)
	var read offer.Profile
	if err == nil {
		read, err = offer.ReadStoredProfile(document)
	}
	if err != nil {
		return Profile{},
			fmt.Errorf("read version %d of the lender profile: %w", stored.Version, operation.AsDefect(err))
	}
	return Profile{read, stored.Version, stored.UpdatedMicros, stored.UpdatedBy}, nil
}

// ReplaceProfile stores a profile as a new version. It fails unless expected is AnyVersion or the latest version,
// which is 0 if there is no profile.
func (s *Service) ReplaceProfile(
	ctx context.Context, p tenant.Principal, next offer.Profile, expected int64,
) (Profile, error) {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return Profile{}, err
	}
	now := s.core.Moment()
	var w wire.Writer
	next.Write(&w)
	record := store.ConfigVersion{Document: w.Buf, UpdatedMicros: now.UnixMicro(), UpdatedBy: operation.Actor(p)}
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		put, err := tx.LenderProfiles().Put(record, expected)
		if err != nil {
			return err
		}
		if err := operation.CheckStored(tx, p.Plan); err != nil {
			return err
		}
		record.Version = put.Version
		note := fmt.Sprintf("version %d", put.Version)
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionLenderProfile, "lender_profile", note))
	})
	if err != nil {
		return Profile{}, err
	}
	s.versions.Forget(operation.ScopeOf(p))
	return Profile{next, record.Version, record.UpdatedMicros, record.UpdatedBy}, nil
}
