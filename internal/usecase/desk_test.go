//nolint:thelper // the function passed to eachCluster is the test itself: report failures at their own lines
package usecase_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/agentdesk"
	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/recovery"
	"verdict/internal/signal"
	"verdict/internal/tenant"
	"verdict/internal/usecase/usecasetest"
)

// elsewhere returns callers who must see nothing of the cluster's sandbox: the same person in live,
// and another tenant.
func (c *cluster) elsewhere() map[string]tenant.Principal {
	c.Helper()
	inLive := c.admin
	inLive.Environment = tenant.Live
	_, other := c.Signup("ravi@example.in")
	return map[string]tenant.Principal{"live": inLive, "another tenant": other}
}

// mayOnly returns the cluster's person with fewer scopes.
func (c *cluster) mayOnly(scopes tenant.Scopes) tenant.Principal {
	p := c.admin
	p.Scopes = scopes
	return p
}

// TestAgentRuns checks that a run that one node stored is read and listed by another, is billed, and
// is not stored if it failed.
func TestAgentRuns(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, h *cluster) {
		ctx := t.Context()
		record := agentdesk.RunRecord{
			Agent:      agentdesk.AgentCollections,
			SubjectRef: "L-1",
			Outcome:    "CALL",
			Hash:       "sha256:run",
			Request:    []byte(`{"case":1}`),
			Response:   []byte(`{"action":"CALL"}`),
		}
		keep := func(p tenant.Principal, err error) (agentdesk.Run, error) {
			return h.nodes[0].Agents.KeepAgentRun(ctx, p, agentdesk.EndpointCollections,
				func(decisioning.RunHead, time.Time) (agentdesk.RunRecord, error) { return record, err }, nil)
		}
		stored, err := keep(h.admin, nil)
		if err != nil {
			t.Fatal(err)
		}
		broken := errors.New("the run failed")
		if _, err := keep(h.admin, broken); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if _, err := keep(h.mayOnly(tenant.Read), nil); usecasetest.CodeOf(err) != fault.CodeInsufficientScope {
			t.Errorf("got %v", err)
		}
		if usage, err := h.nodes[1].Decisions.Usage.Current(ctx, h.admin); err != nil || usage.Used != 1 {
			t.Errorf("%d units are used, %v", usage.Used, err)
		}

		got, err := h.nodes[1].Agents.AgentRun(ctx, h.admin, stored.ID)
		if diff := cmp.Diff(stored, got); err != nil || diff != "" || got.SubjectRef != "L-1" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		list := operation.List{Limit: 10}
		page, err := h.nodes[1].Agents.AgentRuns(ctx, h.admin, agentdesk.RunFilter{SubjectRef: "L-1"}, list)
		stored.Request, stored.Response = nil, nil
		if diff := cmp.Diff([]agentdesk.Run{stored}, page.Data); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for who, p := range h.elsewhere() {
			if _, err := h.nodes[1].Agents.AgentRun(ctx, p, stored.ID); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s: %v", who, err)
			}
			page, err := h.nodes[1].Agents.AgentRuns(ctx, p, agentdesk.RunFilter{}, list)
			if err != nil || len(page.Data) != 0 {
				t.Errorf("%s sees %d runs, %v", who, len(page.Data), err)
			}
		}
		if _, err := h.nodes[1].Agents.AgentRun(ctx, h.admin, "not-an-id"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("got %v", err)
		}
	})
}

// TestCollectionsStrategy checks that every version of the strategy can be read on another node, that a change
// requires the permission, and that other scopes keep the default.
func TestCollectionsStrategy(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, h *cluster) {
		ctx := t.Context()
		days := recovery.DefaultStrategy().MaxPromiseDays
		change := func(p tenant.Principal) (agentdesk.Strategy, error) {
			return h.nodes[0].Agents.ChangeCollectionsStrategy(ctx, p,
				func(s recovery.Strategy) (recovery.Strategy, error) {
					s.MaxPromiseDays++
					return s, nil
				}, operation.AnyVersion)
		}
		for version := int64(1); version <= 2; version++ {
			if s, err := change(h.admin); err != nil || s.Version != version || s.UpdatedBy != h.admin.UserID {
				t.Errorf("version %d by %s, %v", s.Version, s.UpdatedBy, err)
			}
		}
		if _, err := change(h.mayOnly(tenant.Decide | tenant.Read)); usecasetest.CodeOf(err) !=
			fault.CodeInsufficientScope {
			t.Errorf("got %v", err)
		}

		current, err := h.nodes[1].Agents.CollectionsStrategy(ctx, h.mayOnly(tenant.Read))
		if err != nil || current.Version != 2 || current.Recovery.MaxPromiseDays != days+2 {
			t.Errorf("version %d with %d days, %v", current.Version, current.Recovery.MaxPromiseDays, err)
		}
		if _, err := h.nodes[1].Agents.StrategyInForce(ctx, h.mayOnly(tenant.Decide)); err != nil {
			t.Error(err)
		}
		for version := range int64(4) {
			s, err := h.nodes[1].Agents.StrategyAt(ctx, h.admin, version)
			switch {
			case err != nil:
				t.Errorf("version %d: %v", version, err)
			case version == 3 && s != nil:
				t.Errorf("version 3 is %+v", s)
			case version < 3 && (s == nil || s.Recovery.MaxPromiseDays != days+int(version)):
				t.Errorf("version %d is %+v", version, s)
			}
		}
		for who, p := range h.elsewhere() {
			if s, err := h.nodes[1].Agents.CollectionsStrategy(ctx, p); err != nil || s.Version != 0 {
				t.Errorf("%s has version %d, %v", who, s.Version, err)
			}
		}
		want := slices.Repeat([]string{h.admin.UserID + " " + operation.ActionStrategy}, 2)
		if diff := cmp.Diff(want, h.Logged(h.admin, "collections_strategy")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestAlert checks the life of an alert across nodes: decisions on one node raise it, another node
// reads, acknowledges and closes it, and closing it as fraud blocks the shared account.
func TestAlert(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, h *cluster) {
		ctx := t.Context()
		for ref := range 4 {
			body := fmt.Sprintf(`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":790}}},
				"fraud":{"applicant_ref":"A-%d","beneficiary_account":"000111222333"}}`, ref)
			_, err := h.nodes[0].Decisions.Evaluate(ctx, h.admin,
				application.EvaluateRequest(usecasetest.Parse(t, body)), nil)
			if err != nil {
				t.Fatal(err)
			}
		}
		desk, list := h.nodes[1].Fraud, operation.List{Limit: 10}
		alerts, err := desk.Alerts(ctx, h.admin, frauddesk.AlertFilter{Type: signal.BeneficiaryReuse}, list)
		if err != nil || len(alerts.Data) != 1 {
			t.Fatalf("%d alerts, %v", len(alerts.Data), err)
		}
		raised := alerts.Data[0]
		if raised.Status != "open" || raised.Entity.Kind != signal.KindBeneficiaryAccount ||
			raised.ApplicantCount != 4 {
			t.Errorf("got %+v", raised)
		}
		for who, p := range h.elsewhere() {
			if _, err := desk.Alert(ctx, p, raised.ID); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s: %v", who, err)
			}
			if page, err := desk.Alerts(ctx, p, frauddesk.AlertFilter{}, list); err != nil || len(page.Data) != 0 {
				t.Errorf("%s sees %d alerts, %v", who, len(page.Data), err)
			}
			_, err := desk.MoveAlert(ctx, p, raised.ID, frauddesk.AlertMove{To: "acknowledged"})
			if fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s moves the alert: %v", who, err)
			}
		}

		move := func(m frauddesk.AlertMove) (frauddesk.Alert, error) {
			return desk.MoveAlert(ctx, h.admin, raised.ID, m)
		}
		if a, err := move(frauddesk.AlertMove{To: "acknowledged", Note: "seen"}); err != nil ||
			a.Status != "acknowledged" || a.AcknowledgedBy != h.admin.UserID {
			t.Errorf("got %+v, %v", a, err)
		}
		_, err = move(frauddesk.AlertMove{To: "closed", Resolution: "unknown"})
		if pointers := usecasetest.Pointers(t, err); !slices.Equal(pointers, []string{"/resolution"}) {
			t.Errorf("got %v", err)
		}
		if a, err := move(frauddesk.AlertMove{To: "closed", Resolution: "confirmed_fraud"}); err != nil ||
			a.Status != "closed" || len(a.Blocked) == 0 {
			t.Errorf("got %+v, %v", a, err)
		}
		_, err = move(frauddesk.AlertMove{To: "acknowledged"})
		if usecasetest.CodeOf(err) != fault.CodeInvalidTransition {
			t.Errorf("got %v", err)
		}
		closed, err := h.nodes[0].Fraud.Alert(ctx, h.admin, raised.ID)
		if err != nil || len(closed.History) != 3 || closed.Resolution != "confirmed_fraud" {
			t.Errorf("got %+v, %v", closed, err)
		}
		blocked, err := h.nodes[0].Fraud.Blocklist(ctx, h.admin, list)
		if err != nil || !slices.ContainsFunc(blocked.Data, func(b frauddesk.Blocked) bool {
			return b.AlertID == raised.ID && b.Entity == raised.Entity
		}) {
			t.Errorf("got %+v, %v", blocked.Data, err)
		}
	})
}

// TestBlocklist checks that an entry that one node adds is listed and removed on another, that adding it again
// has no effect, and that the permissions are checked.
func TestBlocklist(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, h *cluster) {
		ctx, list := t.Context(), operation.List{Limit: 10}
		entry := frauddesk.NewBlock{Kind: signal.KindMobile, Value: "9820012345", Reason: "stolen"}
		first, err := h.nodes[0].Fraud.Block(ctx, h.admin, entry, nil)
		if err != nil || !first.Added || first.Entry.BlockedBy != h.admin.UserID {
			t.Fatalf("got %+v, %v", first, err)
		}
		if again, err := h.nodes[1].Fraud.Block(ctx, h.admin, entry, nil); err != nil || again.Added ||
			again.Entry.Entity != first.Entry.Entity {
			t.Errorf("got %+v, %v", again, err)
		}
		entry.ExpiresAt = usecasetest.NewClock().Now()
		_, err = h.nodes[0].Fraud.Block(ctx, h.admin, entry, nil)
		if pointers := usecasetest.Pointers(t, err); !slices.Equal(pointers, []string{"/expires_at"}) {
			t.Errorf("got %v", err)
		}
		kind, key := first.Entry.Entity.Kind, first.Entry.Entity.Key
		for who, p := range h.elsewhere() {
			if page, err := h.nodes[1].Fraud.Blocklist(ctx, p, list); err != nil || len(page.Data) != 0 {
				t.Errorf("%s sees %d entries, %v", who, len(page.Data), err)
			}
			if err := h.nodes[1].Fraud.Unblock(ctx, p, kind, key); fault.KindOf(err) != fault.NotFound {
				t.Errorf("%s unblocks: %v", who, err)
			}
		}
		err = h.nodes[1].Fraud.Unblock(ctx, h.mayOnly(tenant.Decide|tenant.Read), kind, key)
		if usecasetest.CodeOf(err) != fault.CodeInsufficientScope {
			t.Errorf("got %v", err)
		}
		if page, err := h.nodes[1].Fraud.Blocklist(ctx, h.admin, list); err != nil || len(page.Data) != 1 {
			t.Errorf("%d entries, %v", len(page.Data), err)
		}
		if err := h.nodes[1].Fraud.Unblock(ctx, h.admin, kind, key); err != nil {
			t.Error(err)
		}
		if err := h.nodes[0].Fraud.Unblock(ctx, h.admin, kind, key); fault.KindOf(err) != fault.NotFound {
			t.Errorf("removed twice: %v", err)
		}
		// Sort the actions, because the clock stands still and the ids of two nodes have no order.
		want := []string{
			h.admin.UserID + " " + operation.ActionBlocked,
			h.admin.UserID + " " + operation.ActionUnblocked,
		}
		if diff := cmp.Diff(want, slices.Sorted(slices.Values(h.Logged(h.admin, kind+" "+key)))); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestPincodeRisks checks that entries are added, removed and replaced, and that other scopes have
// none.
func TestPincodeRisks(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, h *cluster) {
		ctx := t.Context()
		set := func(replace bool, entries ...signal.PincodeRisk) error {
			_, err := h.nodes[0].Fraud.SetPincodeRisks(ctx, h.admin, entries, replace)
			return err
		}
		listed := func(p tenant.Principal) (pincodes []string) {
			t.Helper()
			page, err := h.nodes[1].Fraud.PincodeRisks(ctx, p, frauddesk.PincodeFilter{}, operation.List{Limit: 10})
			if err != nil {
				t.Error(err)
			}
			for _, e := range page.Data {
				pincodes = append(pincodes, e.Pincode)
			}
			return pincodes
		}
		high := func(pincode string) signal.PincodeRisk {
			return signal.PincodeRisk{Pincode: pincode, Risk: signal.RiskHigh}
		}
		for _, step := range []struct {
			replace bool
			entries []signal.PincodeRisk
			want    []string
		}{
			{false, []signal.PincodeRisk{high("400001"), high("400002")}, []string{"400001", "400002"}},
			{
				false,
				[]signal.PincodeRisk{{Pincode: "400001", Remove: true}, high("400003")},
				[]string{"400002", "400003"},
			},
			{true, []signal.PincodeRisk{high("560001")}, []string{"560001"}},
		} {
			if err := set(step.replace, step.entries...); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(step.want, listed(h.admin)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		if err := set(false, high("40")); fault.KindOf(err) != fault.Invalid {
			t.Errorf("got %v", err)
		}
		for who, p := range h.elsewhere() {
			if got := listed(p); len(got) != 0 {
				t.Errorf("%s sees %v", who, got)
			}
		}
	})
}
