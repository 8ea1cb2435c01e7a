package torture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"verdict/internal/civil"
)

// expect returns the zones of a decision that must be empty after the periods were applied today. It increments
// the count of each zone that a period must have emptied since the last check.
func (t *retained) expect(d *retainedDecision, today civil.Day) (zones []string) {
	own := func(zone string) bool { return d.featured || zone != "history" && zone != "features" }
	whole := d.erased || !d.held() && today-d.day > retainedDays["response"]
	for _, zone := range retainedZones {
		if !own(zone) {
			continue
		}
		expired := !d.held() && today-d.day > retainedDays[zone]
		if expired && !d.erased && !slices.Contains(d.gone, zone) {
			t.emptied[zone]++
		}
		if whole || expired {
			zones = append(zones, zone)
		}
	}
	d.gone = zones
	return zones
}

func (d *retainedDecision) held() bool { return d.hold != "" && !d.released }

// check reads every decision of the lender, the counts of the periods and their events. The periods were applied on
// the given day: what is older must be gone, and everything else must be readable and reproduce the same hash.
func (t *retained) check(ctx context.Context, url string, today civil.Day) error {
	want := make(map[string][]string, len(t.decisions))
	for _, d := range t.decisions {
		want[d.id] = t.expect(d, today)
	}
	err := each(t.decisions, func(d *retainedDecision) error {
		a, err := t.send(ctx, t.request(http.MethodGet, "/v1/decisions/"+d.id, "", http.StatusOK), at(ctx, url))
		if err != nil {
			return err
		}
		t.count(func(f *Figures) { f.Checked++ })
		t.learn(func() { t.compare(d, want[d.id], today, a.body) })
		return nil
	})
	if err == nil {
		err = t.checkCounts(ctx, url, today)
	}
	if err == nil {
		err = t.checkEvents(ctx, url, today)
	}
	return errors.Join(err, t.model.verdict())
}

// compare compares a stored decision with the zones that must be empty.
func (t *retained) compare(d *retainedDecision, want []string, today civil.Day, body []byte) {
	var stored struct {
		toldDecision
		Again *struct {
			Verified bool `json:"verified"`
		} `json:"re_explanation"`
		InputsErased []string `json:"inputs_erased"`
	}
	if err := unmarshal(body, &stored); err != nil || stored.Hash != d.hash {
		t.model.violate("nothing-lost", "decision %s of %s reads %s", d.id, t.scope, short(body))
		return
	}
	slices.Sort(stored.InputsErased)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(stored.InputsErased, want) {
		t.model.violate("retention-exact",
			"decision %s of %s, %d days old, held %v, erased %v: %v is erased instead of %v",
			d.id, t.scope, today-d.day, d.held(), d.erased, stored.InputsErased, want)
		return
	}
	readable := !slices.Contains(want, "combined") && !slices.Contains(want, "response")
	if verified := stored.Again != nil && stored.Again.Verified; verified != readable {
		t.model.violate("hash-verifies", "decision %s of %s: %s", d.id, t.scope, body[max(0, len(body)-400):])
	}
	if slices.Contains(want, "response") && bytes.Contains(body, []byte(d.applicant)) {
		t.model.violate("erased-completely", "decision %s of %s was erased and reads %s", d.id, t.scope, short(body))
	}
}

// toldPeriods is the answer of GET /v1/retention.
type toldPeriods struct {
	Zones map[string]struct {
		Erased       int        `json:"documents_erased"`
		ErasedBefore *time.Time `json:"erased_before"`
		AppliedAt    *time.Time `json:"applied_at"`
		Due          int        `json:"due"`
	} `json:"zones"`
}

// periods reads how far the periods were applied.
func (t *retained) periods(ctx context.Context, where func() (string, bool)) (told toldPeriods, err error) {
	a, err := t.send(ctx, t.request(http.MethodGet, "/v1/retention", "", http.StatusOK), where)
	if err == nil {
		err = unmarshal(a.body, &told)
	}
	return told, err
}

// applied reports whether all periods were applied on a day.
func (p toldPeriods) applied(today civil.Day) bool {
	for zone := range retainedDays {
		if at := p.Zones[zone].AppliedAt; at == nil || civil.DayAt(*at) != today {
			return false
		}
	}
	return true
}

// checkCounts compares the number of erased documents of each zone with the expected number. A document that a
// killed node has erased must be counted once. No document from before the limit may be left.
func (t *retained) checkCounts(ctx context.Context, url string, today civil.Day) error {
	told, err := t.periods(ctx, at(ctx, url))
	if err != nil {
		return err
	}
	for zone, days := range retainedDays {
		of := told.Zones[zone]
		limit := (today - days).At(0, civil.India)
		if of.Erased != t.emptied[zone] || of.Due != 0 ||
			t.emptied[zone] > 0 && (of.ErasedBefore == nil || of.ErasedBefore.After(limit)) {
			t.violate("retention-exact", "%s of %s: %+v instead of %d documents, stored before %s at the latest", zone,
				t.scope, of, t.emptied[zone], limit)
		}
	}
	return nil
}

// checkEvents reads all events of the lender. Their numbers have no gap, and the limit of each zone grows with each
// event retention.applied.
func (t *retained) checkEvents(ctx context.Context, url string, today civil.Day) error {
	last, after := map[string]time.Time{}, 0
	for more := true; more; {
		a, err := t.send(ctx, t.request(http.MethodGet, fmt.Sprintf("/v1/events?after=%d&limit=1000", after), "",
			http.StatusOK), at(ctx, url))
		if err != nil {
			return err
		}
		var feed struct {
			Data []struct {
				Sequence int    `json:"sequence"`
				Type     string `json:"type"`
				Data     struct {
					Zone   string    `json:"zone"`
					Before time.Time `json:"stored_before"`
				} `json:"data"`
			} `json:"data"`
			More bool `json:"has_more"`
		}
		if err := unmarshal(a.body, &feed); err != nil {
			return err
		}
		for _, e := range feed.Data {
			if after++; e.Sequence != after {
				t.violate("one-event", "event %d of %s has the number %d", after, t.scope, e.Sequence)
			}
			if e.Type != "retention.applied" {
				continue
			}
			limit := (today - retainedDays[e.Data.Zone]).At(0, civil.India)
			if !e.Data.Before.After(last[e.Data.Zone]) || e.Data.Before.After(limit) {
				t.violate("retention-exact", "event %d of %s erases %s before %s, after %s", after, t.scope,
					e.Data.Zone, e.Data.Before, last[e.Data.Zone])
			}
			last[e.Data.Zone] = e.Data.Before
		}
		more = feed.More
	}
	for zone, n := range t.emptied {
		if _, told := last[zone]; n > 0 && !told {
			t.violate("retention-exact", "%d documents of %s of %s were erased without an event", n, zone, t.scope)
		}
	}
	return nil
}
