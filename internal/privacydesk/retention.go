package privacydesk

import (
	"context"
	"slices"
	"strings"
	"time"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// The zones that do not belong to a decision.
const (
	zoneRuns  = "agent_runs"  // the requests and answers of agents' runs
	zoneLoans = "exposures"   // reported loans that are closed
	zoneLinks = "fraud_links" // when people were seen with accounts, devices and other entities
)

// RetentionZones returns the zones that can have a retention period. At the end of the period of the response, the
// decision also loses its reference. So this period must not be shorter than those of the decision's other zones.
func RetentionZones() []string {
	return []string{
		sealing.History.String(), sealing.Features.String(), sealing.Combined.String(), sealing.Response.String(),
		zoneRuns, zoneLoans, zoneLinks,
	}
}

// combinedZones are the zones that are stored in one document, which can only be emptied as a whole.
var combinedZones = []string{
	sealing.Applicant.String(), sealing.Statement.String(), sealing.Device.String(), sealing.Location.String(),
}

// RetentionBases returns the bases of a retention period. Like the reason of an erasure, a basis is not a free text.
func RetentionBases() []string {
	return []string{"legal_obligation", "purpose_fulfilled", "consent", "fraud_prevention", "legitimate_use"}
}

// RetentionBasisChoices lists all bases, for the message about an invalid basis.
const RetentionBasisChoices = "legal_obligation, purpose_fulfilled, consent, fraud_prevention or legitimate_use"

// PeriodForm describes a valid retention period, for the message about an invalid one.
const PeriodForm = "an ISO 8601 duration of years, months, weeks and days, such as P5Y or P90D"

// The limits of a retention period.
const (
	maxPeriodYears = 100
	monthsPerYear  = 12
	daysPerYear    = 366
)

// retentionDelay is the time from a change that shortens a period until the shorter period is applied. Until then
// the change can be undone.
const retentionDelay = 24 * time.Hour

// ZonePeriod says how long the documents of a zone are stored, and why.
type ZonePeriod struct {
	Zone   string
	Period string // an ISO 8601 duration
	Basis  string
}

// check adds the faults of the period. It returns the length of the period, or 0 if there are faults.
func (z ZonePeriod) check(c fault.Check) (p civil.Period) {
	if c.Require("basis", z.Basis != "", RetentionBasisChoices) {
		c.Choice("basis", z.Basis, RetentionBases()...)
	}
	if !c.Require("period", z.Period != "", PeriodForm) {
		return p
	}
	p, err := civil.ParsePeriod(z.Period)
	switch {
	case err != nil:
		c.Fail("period", fault.CodeInvalidField, "must be %s", PeriodForm)
	case p == civil.Period{}:
		c.Fail("period", fault.CodeOutOfRange, "must be at least P1D; leave the zone out to keep its documents")
	case p.Years*monthsPerYear+p.Months > maxPeriodYears*monthsPerYear || p.Days > maxPeriodYears*daysPerYear:
		c.Fail("period", fault.CodeOutOfRange, "must be at most P%dY; leave the zone out to keep its documents",
			maxPeriodYears)
		p = civil.Period{}
	}
	return p
}

// CheckPeriods adds the faults of retention periods.
func CheckPeriods(periods []ZonePeriod, faults *fault.List) {
	lengths := map[string]civil.Period{}
	for _, z := range periods {
		at := "/zones/" + fault.EscapePointer(z.Zone)
		switch {
		case slices.Contains(combinedZones, z.Zone):
			faults.Add(at, fault.CodeInvalidField, "is stored together with the other facts of a decision; "+
				"set a period for combined instead")
			continue
		case z.Zone == sealing.Fraud.String():
			faults.Add(at, fault.CodeInvalidField, "links to accounts and devices are in the zone "+
				zoneLinks+"; what was counted for a decision is in the zone combined")
			continue
		case !slices.Contains(RetentionZones(), z.Zone):
			faults.Add(at, fault.CodeUnknownField, "is not a zone; the zones are %s",
				strings.Join(RetentionZones(), ", "))
			continue
		}
		if p := z.check(faults.Check(at)); p != (civil.Period{}) {
			lengths[z.Zone] = p
		}
	}
	answer, set := lengths[sealing.Response.String()]
	for _, zone := range RetentionZones() {
		if p, known := lengths[zone]; set && known && zone != zoneRuns && !deletes(zone) && !p.AtMost(answer) {
			faults.Add("/zones/"+zone+"/period", fault.CodeOutOfRange, "must not be longer than the period of the "+
				"zone response at any time of the year: at the end of that period all documents of a decision "+
				"are erased")
		}
	}
}

// ZoneRetention is the retention of a zone.
type ZoneRetention struct {
	Zone          string
	Period        string // "" if the documents are kept
	Basis         string // "" if the documents are kept
	AppliesMicros int64  // when a period that was set or shortened begins to be applied, 0 if it is in force
	// EmptiedBeforeMicros is the time before which documents were emptied, 0 if none were. Emptied is their number.
	EmptiedBeforeMicros int64
	Emptied             int64
	AppliedMicros       int64 // when the period was last applied, 0 for never
	// Due is the number of decisions, runs or loans that are beyond the period now, at most maxDue. DueMore is set if
	// there are more. DueKnown is false for links, because counting them would require reading all of them.
	Due      int64
	DueMore  bool
	DueKnown bool
}

// Retention says how long documents are stored.
type Retention struct {
	Version       int64 // 0 if no periods were ever set
	UpdatedMicros int64
	UpdatedBy     string
	Zones         []ZoneRetention // all zones, in the order of RetentionZones
}

// maxDue is the maximum of ZoneRetention.Due.
const maxDue = 10_000

// Retention returns how long documents are stored.
func (s *Service) Retention(ctx context.Context, p tenant.Principal) (Retention, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Retention{}, err
	}
	var r Retention
	scope := s.core.Scope(p)
	err := scope.Read(ctx, func(tx *store.Tx) (err error) {
		r, err = s.retention(tx)
		return err
	})
	return r, err
}

// retention reads the retention of a scope.
func (s *Service) retention(tx *store.Tx) (Retention, error) {
	now := s.core.Now()
	versions, err := tx.Retention().Since(now.Add(-retentionDelay).UnixMicro())
	if err != nil {
		return Retention{}, err
	}
	progress, err := tx.Retention().Progress()
	if err != nil {
		return Retention{}, err
	}
	var out Retention
	plan, err := planOf(versions)
	if err != nil {
		return Retention{}, err
	}
	if len(versions) > 0 {
		out.Version, out.UpdatedMicros, out.UpdatedBy = versions[0].Version, versions[0].UpdatedMicros,
			versions[0].UpdatedBy
	}
	for _, zone := range RetentionZones() {
		z := ZoneRetention{Zone: zone}
		for i := range progress {
			if p := &progress[i]; p.Zone == zone {
				z.EmptiedBeforeMicros, z.Emptied, z.AppliedMicros = p.BeforeMicros, p.Emptied, p.AppliedMicros
			}
		}
		if period, set := plan.latest[zone]; set {
			z.Period, z.Basis = period.Period, period.Basis
			latest := period.cutoff(now)
			if cutoff, applies := plan.cutoff(zone, now); !applies || cutoff < latest {
				z.AppliesMicros = plan.appliesMicros(zone, now)
			}
			if z.Due, err = s.due(tx, zone, progress, latest); err != nil {
				return Retention{}, err
			}
			z.DueKnown = zone != zoneLinks
			if z.DueMore = z.Due > maxDue; z.DueMore {
				z.Due = maxDue
			}
		}
		out.Zones = append(out.Zones, z)
	}
	return out, nil
}

// due counts the decisions, runs or loans that are beyond a period and have not been emptied or skipped yet. It
// returns 0 for links.
func (s *Service) due(tx *store.Tx, zone string, progress []store.RetentionProgress, cutoff int64) (int64, error) {
	switch zone {
	case zoneLoans:
		return tx.Retention().ClosedLoans(cutoff, maxDue+1)
	case zoneLinks:
		return 0, nil
	}
	after := ""
	for i := range progress {
		if progress[i].Zone == zone {
			after = progress[i].AfterID
		}
	}
	return tx.Retention().Count(zone == zoneRuns, after, firstAt(zone, cutoff), maxDue+1)
}

// firstAt returns the lowest id that an object can have if it was stored at the given time or later. zone determines
// the kind of the object.
func firstAt(zone string, micros int64) string {
	kind := tenant.KindDecision
	if zone == zoneRuns {
		kind = tenant.KindRun
	}
	return tenant.FirstID(kind, time.UnixMicro(micros))
}

// SetRetention replaces all retention periods. Documents of a zone that is not named are kept. It fails unless
// expected is the current version or operation.AnyVersion. A period that is shorter than before is applied after
// retentionDelay, so that the change can be undone.
func (s *Service) SetRetention(
	ctx context.Context, p tenant.Principal, periods []ZonePeriod, expected int64,
) (Retention, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Retention{}, err
	}
	now := s.core.Moment()
	var faults fault.List
	CheckPeriods(periods, &faults)
	if err := faults.Err(); err != nil {
		return Retention{}, err
	}
	record := store.ConfigVersion{
		Document:      writePeriods(periods),
		UpdatedMicros: now.UnixMicro(),
		UpdatedBy:     operation.Actor(p),
	}
	audit := s.core.Audit(p, now, operation.ActionRetention, "retention", "")
	var r Retention
	err := s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		if _, err := tx.Retention().Put(record, expected); err != nil {
			return err
		}
		return tx.Audit().Add(audit)
	})
	if err == nil {
		r, err = s.Retention(ctx, p)
	}
	return r, err
}

// writePeriods returns the stored form of retention periods.
func writePeriods(periods []ZonePeriod) []byte {
	byZone := func(a, b ZonePeriod) int { return strings.Compare(a.Zone, b.Zone) }
	sorted := slices.SortedFunc(slices.Values(periods), byZone)
	var w wire.Writer
	w.Object()
	for _, z := range sorted {
		w.Key(z.Zone).Object().Key("basis").String(z.Basis).Key("period").String(z.Period).EndObject()
	}
	w.EndObject()
	return w.Buf
}

// periodOf is a stored retention period.
type periodOf struct {
	ZonePeriod
	length civil.Period
}

// cutoff returns the beginning of a day in India. Documents that were stored before that time are beyond their
// period.
func (p periodOf) cutoff(now time.Time) int64 {
	return p.length.Before(civil.DayAt(now)).At(0, civil.India).UnixMicro()
}

// readPeriods reads the stored form of retention periods.
func readPeriods(document []byte) (map[string]periodOf, error) {
	v, err := wire.Parse(document)
	if err != nil {
		return nil, operation.AsDefect(err)
	}
	periods := map[string]periodOf{}
	for zone, z := range v.Members() {
		p := periodOf{ZonePeriod: ZonePeriod{
			Zone: strings.Clone(zone), Period: strings.Clone(z.Get("period").Text()),
			Basis: strings.Clone(z.Get("basis").Text()),
		}}
		if p.length, err = civil.ParsePeriod(p.Period); err != nil {
			return nil, operation.AsDefect(err)
		}
		periods[p.Zone] = p
	}
	return periods, nil
}

// plan holds the versions of the retention periods that still have an effect.
type plan struct {
	latest   map[string]periodOf
	versions []map[string]periodOf // versions that were in force within retentionDelay, newest first
	updated  []int64               // when each was stored, in microseconds
	complete bool                  // versions includes the first version, before which there was no period
}

// planOf returns the plan of the versions that store.RetentionReader.Since has returned.
func planOf(versions []store.ConfigVersion) (p plan, err error) {
	for i := range versions {
		periods, err := readPeriods(versions[i].Document)
		if err != nil {
			return plan{}, err
		}
		p.versions = append(p.versions, periods)
		p.updated = append(p.updated, versions[i].UpdatedMicros)
	}
	if len(versions) > 0 {
		p.latest, p.complete = p.versions[0], versions[len(versions)-1].Version == 1
	}
	return p, nil
}

// cutoff returns the time before which documents of a zone are emptied. It is the earliest cutoff of all versions
// that were in force within retentionDelay. applies is false if one of these versions has no period for the zone.
func (p plan) cutoff(zone string, now time.Time) (micros int64, applies bool) {
	since := now.Add(-retentionDelay).UnixMicro()
	if len(p.versions) == 0 || p.complete && p.updated[len(p.updated)-1] > since {
		return 0, false // the first version is younger than retentionDelay
	}
	for i, periods := range p.versions {
		z, set := periods[zone]
		if !set {
			return 0, false
		}
		if at := z.cutoff(now); i == 0 || at < micros {
			micros = at
		}
	}
	return micros, true
}

// appliesMicros returns when the latest period of a zone begins to be applied. That is retentionDelay after the
// last version with a longer period, or with no period, was replaced.
func (p plan) appliesMicros(zone string, now time.Time) int64 {
	latest := p.latest[zone].cutoff(now)
	at := len(p.versions) - 1
	for i, periods := range p.versions {
		if z, set := periods[zone]; !set || z.cutoff(now) < latest {
			at = i - 1
			break
		}
	}
	return p.updated[max(at, 0)] + retentionDelay.Microseconds()
}
