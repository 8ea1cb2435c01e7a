//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase/usecasetest"
)

const day = 24 * time.Hour

// setRetention sets periods, given as pairs of a zone and a duration.
func (c *cluster) setRetention(pairs ...string) privacydesk.Retention {
	c.Helper()
	r, err := c.nodes[0].Privacy.SetRetention(c.Context(), c.Caller, periods(pairs...), operation.AnyVersion)
	if err != nil {
		c.Fatal(err)
	}
	return r
}

func periods(pairs ...string) (list []privacydesk.ZonePeriod) {
	for pair := range slices.Chunk(pairs, 2) {
		list = append(list, privacydesk.ZonePeriod{Zone: pair[0], Period: pair[1], Basis: "purpose_fulfilled"})
	}
	return list
}

// retain applies the periods on a node, and fails the test unless the number of emptied documents is want.
func (c *cluster) retain(node int, want int64) {
	c.Helper()
	if n, err := c.nodes[node].Privacy.Retain(c.Context()); err != nil || n != want {
		c.Errorf("emptied %d, %v; want %d", n, err, want)
	}
}

// evaluate makes a decision with features.
func (c *cluster) evaluate(applicant string) string {
	c.Helper()
	body := usecasetest.Parse(c.T, `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":560},
		"reportDate":"2026-11-10","enquiries":[{"date":"2026-11-03","product":"personal_loan"}]}},"features":true,
		"fraud":{"applicant_ref":"`+applicant+`"}}`)
	decided, err := c.nodes[0].Decisions.Decide(c.Context(), c.Caller, application.EvaluateRequest(body), nil)
	if err != nil {
		c.Fatal(err)
	}
	return decided.ID
}

// wantInputs fails the test unless exactly these zones of a decision are erased. verified says whether the decision
// can still be verified.
func (c *cluster) wantInputs(id string, verified bool, zones ...string) {
	c.Helper()
	d, err := c.nodes[1].Decisions.Decision(c.Context(), c.Caller, id)
	if err != nil || !slices.Equal(d.InputsErased, zones) || d.Again.Verified != verified ||
		d.Unverifiable == verified {
		c.Errorf("decision %s has lost %v and is verified: %v, %v; want %v and %v", id, d.InputsErased,
			d.Again.Verified, err, zones, verified)
	}
}

// TestRetentionByZone lets the periods of the zones of a decision end one after the other. The stored data matches
// the journal after each of them.
func TestRetentionByZone(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("history", "P10D", "features", "P20D", "combined", "P1M", "response", "P2M")
		id := c.evaluate("A-1")
		c.clock.Pass(9 * day)
		young := c.evaluate("A-1")
		c.retain(0, 0)
		c.wantInputs(id, true)
		c.clock.Pass(2 * day)
		c.retain(0, 1)
		c.retain(1, 0)
		c.wantInputs(id, true, "history")
		c.wantInputs(young, true)
		c.verify(0)
		c.clock.Pass(day)
		c.retain(0, 0) // on the next day there is nothing new
		c.clock.Pass(10 * day)
		c.retain(1, 2) // the features of the first decision, and the history of the young one
		c.wantInputs(id, true, "history", "features")
		c.wantInputs(young, true, "history")
		c.verify(0)
		c.clock.Pass(10 * day)
		c.retain(0, 2)
		c.wantInputs(id, false, "history", "features", "combined")
		c.wantInputs(young, true, "history", "features")
		c.verify(1)
		if _, gone := c.read(0, id); gone {
			t.Error("the answer was erased with the facts")
		}
		story, err := c.nodes[0].Decisions.Story(t.Context(), c.Caller, id)
		if err != nil || story.Why == "" || story.Answer.Status == "" {
			t.Errorf("the story is %+v, %v", story, err)
		}
		c.clock.Pass(30 * day)
		c.retain(0, 2) // the answer of the first decision, and the facts of the young one
		c.wantInputs(id, false, "response", "history", "features", "combined")
		c.wantErased(id, true)
		d, _ := c.read(0, id)
		if ref := d.Kept.Summary.ApplicantRef; !strings.HasPrefix(ref, store.ErasedPrefix) {
			t.Errorf("the reference is still %s", ref)
		}
		c.verify(2)
		e := c.mustErase(0, "A-1")
		if e.Counts.Decisions != 1 {
			t.Errorf("the person is erased later: %+v", e)
		}
		c.verify(2)
	})
}

// TestRetentionDelay checks that a shorter period is applied a day later, that it can be undone until then, and that a
// longer one is applied immediately.
func TestRetentionDelay(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.decide(0, "A-1")
		c.clock.Pass(40 * day)
		r := c.setRetention("combined", "P1M")
		zone := r.Zones[2]
		if zone.Zone != "combined" || zone.Due != 1 || zone.DueMore ||
			zone.AppliesMicros != c.clock.Now().Add(day).UnixMicro() {
			t.Errorf("the zone is %+v", zone)
		}
		c.retain(0, 0)
		c.clock.Pass(23 * time.Hour)
		c.setRetention("combined", "P1Y")
		c.clock.Pass(2 * time.Hour)
		c.retain(0, 0)
		c.wantInputs(id, true)
		c.clock.Pass(30 * day)
		r = c.setRetention("combined", "P2M")
		if r.Zones[2].AppliesMicros == 0 || r.Version != 3 {
			t.Errorf("the retention is %+v", r)
		}
		c.setRetention("combined", "P50D") // shorter again; the last change that shortens the period counts
		c.clock.Pass(25 * time.Hour)
		c.retain(0, 1)
		c.wantInputs(id, false, "combined")
		got, err := c.nodes[1].Privacy.Retention(t.Context(), c.Caller)
		if zone := got.Zones[2]; err != nil || zone.Due != 0 || zone.Emptied != 1 || zone.AppliesMicros != 0 ||
			zone.EmptiedBeforeMicros == 0 || zone.AppliedMicros == 0 {
			t.Errorf("the zone is %+v, %v", zone, err)
		}
		c.verify(1)
	})
}

// TestRetentionKeepsHeld keeps the documents of somebody with a legal hold. They are emptied after the hold is
// released, although the documents of other people were emptied long before.
func TestRetentionKeepsHeld(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		for _, node := range c.nodes {
			node.Privacy.SetBatch(2, func() {})
		}
		c.setRetention("combined", "P10D")
		var held, other []string
		for range 3 {
			held, other = append(held, c.decide(0, "A-held")), append(other, c.decide(0, "A-other"))
		}
		h := c.mustHold("A-held", "audit", time.Time{})
		c.clock.Pass(20 * day)
		c.retain(0, 3)
		for i := range held {
			c.wantInputs(held[i], true)
			c.wantInputs(other[i], false, "combined")
		}
		c.verify(3)
		c.clock.Pass(day)
		if _, err := c.nodes[0].Privacy.ReleaseHold(t.Context(), c.Caller, h.ID, nil); err != nil {
			t.Fatal(err)
		}
		c.retain(1, 3)
		for i := range held {
			c.wantInputs(held[i], false, "combined")
		}
		c.clock.Pass(day)
		c.retain(1, 0)
		c.verify(6)
	})
}

// TestRetentionKeepsOffers keeps the documents of an open offer, however short the period is.
func TestRetentionKeepsOffers(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("combined", "P1D")
		c.clock.Pass(2 * day)
		before := c.decide(0, "A-1")
		offered := c.approve("A-2")
		after := c.decide(0, "A-3")
		c.clock.Pass(2 * day)
		c.retain(0, 1) // stops before the offer
		c.wantInputs(before, false, "combined")
		c.wantInputs(offered, true)
		c.wantInputs(after, true)
		c.clock.Pass(10 * day)
		c.retain(0, 2)
		c.wantInputs(offered, false, "combined")
		c.verify(3)
	})
}

// TestRetentionOfRuns empties the runs of agents.
func TestRetentionOfRuns(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("agent_runs", "P1M")
		c.decide(0, "A-1") // gives the tenant keys
		run := store.Run{
			ID:            tenant.FirstID(tenant.KindRun, c.clock.Now()),
			Agent:         "collections",
			CreatedMicros: c.clock.Now().UnixMicro(),
			Actor:         "key_1",
			SubjectRef:    "A-1",
			Outcome:       "advised",
			Hash:          "h",
			Request:       []byte(`{}`),
			Response:      []byte(`{}`),
		}
		keys, err := c.db.Secrets().TenantKeys(t.Context(), c.Caller.TenantID, nil)
		if err != nil {
			t.Fatal(err)
		}
		changes := keys.States[string(c.Caller.Environment)].Changes
		insert := func(tx *store.Tx) error { return tx.Runs().Insert(run, changes) }
		if err := c.scope().Write(t.Context(), insert); err != nil {
			t.Fatal(err)
		}
		c.clock.Pass(35 * day)
		c.retain(0, 1)
		got, err := c.scope().Runs(t.Context()).Get(run.ID)
		if err != nil || len(got.Request) != 0 || len(got.Response) != 0 ||
			!strings.HasPrefix(got.SubjectRef, store.ErasedPrefix) {
			t.Errorf("the run is %+v, %v", got, err)
		}
		_, err = c.nodes[0].Agents.AgentRun(t.Context(), c.Caller, run.ID)
		if fault.CodeOf(err) != fault.CodeErased {
			t.Errorf("the run is read: %v", err)
		}
	})
}

// TestRetentionRefusals checks periods that cannot be set.
func TestRetentionRefusals(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		set := func(p tenant.Principal, expected int64, list ...privacydesk.ZonePeriod) error {
			_, err := c.nodes[0].Privacy.SetRetention(t.Context(), p, list, expected)
			return err
		}
		for name, zone := range map[string]privacydesk.ZonePeriod{
			"/zones/combined/period":  {Zone: "combined", Period: "P0D", Basis: "consent"},
			"/zones/history/period":   {Zone: "history", Period: "P10000Y", Basis: "consent"},
			"/zones/features/period":  {Zone: "features", Period: "PT24H", Basis: "consent"},
			"/zones/response/period":  {Zone: "response", Period: "-P1Y", Basis: "consent"},
			"/zones/response/basis":   {Zone: "response", Period: "P1Y", Basis: "because"},
			"/zones/agent_runs/basis": {Zone: "agent_runs", Period: "P1Y"},
			"/zones/device":           {Zone: "device", Period: "P1Y", Basis: "consent"},
			"/zones/fraud":            {Zone: "fraud", Period: "P1Y", Basis: "consent"},
			"/zones/a~1b":             {Zone: "a/b", Period: "P1Y", Basis: "consent"},
		} {
			err := set(c.Caller, operation.AnyVersion, zone)
			if !slices.Equal(usecasetest.Pointers(t, err), []string{name}) {
				t.Errorf("%+v: %v", zone, err)
			}
		}
		err := set(c.Caller, operation.AnyVersion,
			periods("response", "P1Y", "combined", "P13M", "agent_runs", "P2Y")...)
		if !slices.Equal(usecasetest.Pointers(t, err), []string{"/zones/combined/period"}) {
			t.Errorf("facts beyond the answer: %v", err)
		}
		if err := set(c.Caller, 0, periods("response", "P1Y", "combined", "P12M")...); err != nil {
			t.Errorf("the first version: %v", err)
		}
		if err := set(c.Caller, 0); fault.CodeOf(err) != fault.CodePreconditionFailed {
			t.Errorf("an older version: %v", err)
		}
		reader := c.Caller
		reader.Scopes = tenant.Read
		if err := set(reader, operation.AnyVersion); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("without the scope: %v", err)
		}
		if _, err := c.nodes[0].Privacy.Retention(t.Context(), reader); fault.KindOf(err) != fault.Forbidden {
			t.Errorf("without the scope: %v", err)
		}
		if got := c.Logged(c.Caller, "retention"); len(got) != 1 ||
			!strings.HasSuffix(got[0], operation.ActionRetention) {
			t.Errorf("the audit trail has %v", got)
		}
		if err := set(c.Caller, 1); err != nil { // everything is kept again
			t.Error(err)
		}
		c.verify(0)
	})
}

// TestEmptiedBeyondRetention empties a zone of a decision that is younger than its period, directly in the database.
// It also forges the stored progress. Verify must find both.
func TestEmptiedBeyondRetention(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.setRetention("combined", "P10D")
		c.decide(0, "A-1")
		c.clock.Pass(20 * day)
		c.retain(0, 1)
		young := c.decide(0, "A-2")
		forge := func(do func(tx *store.Tx) error) {
			t.Helper()
			if err := c.scope().Write(t.Context(), do); err != nil {
				t.Fatal(err)
			}
			v, err := c.nodes[0].Decisions.Audit.Verify(t.Context(), "", nil)
			if err != nil || v.Failed == 0 || !slices.ContainsFunc(v.Wrong, func(w decisioning.Wrong) bool {
				return w.ID == young && strings.Contains(w.Why, "no entry of an erasure")
			}) {
				t.Errorf("verified %+v, %v", v, err)
			}
		}
		forge(func(tx *store.Tx) error {
			_, err := tx.Retention().EmptyZone("combined", young)
			return err
		})
		forge(func(tx *store.Tx) error {
			p, err := tx.Retention().ProgressOf("combined")
			if err != nil {
				return err
			}
			p.BeforeMicros = c.clock.Now().AddDate(1, 0, 0).UnixMicro()
			return tx.Retention().PutProgress(&p, 0, 0, 0)
		})
	})
}
