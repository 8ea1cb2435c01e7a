package demo_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/account"
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/demo"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/study"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// quick returns the options of a small demonstration.
func quick() demo.Options {
	return demo.Options{
		Now:          time.Date(2026, time.November, 15, 6, 0, 0, 0, time.UTC),
		Decisions:    120,
		Password:     tenant.NewSecret("a long password"),
		PasswordCost: tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1},
	}
}

// filled returns a database with a demonstration and the use cases over it.
func filled(t *testing.T, o demo.Options) (*usecase.Set, demo.Filled) {
	t.Helper()
	db := storetest.Open(t, storetest.SQLite(t), store.Options{})
	made, err := demo.Fill(t.Context(), db, o)
	if err != nil {
		t.Fatal(err)
	}
	service, err := usecase.New(db, usecase.Options{Now: func() time.Time { return o.Now }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := demo.Fill(t.Context(), db, o); !errors.Is(err, demo.ErrNotEmpty) {
		t.Errorf("filling it again: %v", err)
	}
	return service, made
}

// caller returns a principal with all scopes of an admin in the environment.
func caller(made demo.Filled, env tenant.Environment) tenant.Principal {
	return tenant.Principal{
		TenantID:    made.TenantID,
		Environment: env,
		UserID:      made.People[0].ID,
		Scopes:      tenant.RoleAdmin.Scopes(),
	}
}

// TestFill checks that both environments have data for every page, that repeating any decision gives the same
// result, and that two demonstrations are equal.
func TestFill(t *testing.T) {
	t.Parallel()
	o := quick()
	var done, total int64
	o.Progress = func(d, n int64) { done, total = d, n }
	service, made := filled(t, o)
	if done == 0 || done != total {
		t.Errorf("done %d of %d", done, total)
	}
	for _, env := range tenant.Environments() {
		t.Run(string(env), func(t *testing.T) {
			t.Parallel()
			p := caller(made, env)
			checkPolicies(t, service, p)
			checkAlerts(t, service, p)
			checkRest(t, service, p)
			checkProduct(t, service, p)
		})
	}
	t.Run("reproduces", func(t *testing.T) {
		t.Parallel()
		found, err := service.Decisions.Audit.Verify(t.Context(), made.TenantID, nil)
		if err != nil || found.Failed > 0 || found.Checked < int64(o.Decisions) {
			t.Errorf("checked %d, %d did not reproduce: %v %v", found.Checked, found.Failed, found.Wrong, err)
		}
	})
	t.Run("the same again", func(t *testing.T) {
		t.Parallel()
		second, other := filled(t, quick())
		if diff := cmp.Diff(outcomes(t, service, made), outcomes(t, second, other)); diff != "" {
			t.Errorf("two demonstrations differ:\n%s", diff)
		}
	})
}

// TestTextsAreALenders checks that the texts of the demonstration are those of
// a lender, and that none of them looks like an attack.
func TestTextsAreALenders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "demo.db")
	db := storetest.Open(t, "sqlite:"+file, store.Options{})
	made, err := demo.Fill(t.Context(), db, quick())
	if err != nil {
		t.Fatal(err)
	}
	if made.OrgName != "Kaveri Capital" {
		t.Errorf("the organisation is called %s", made.OrgName)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(stored, []byte("Kaveri Capital")) {
		t.Error("the file does not have what is stored")
	}
	for _, text := range []string{"<script", "alert(", "onerror", "<b>", "<i>", "=cmd|"} {
		if at := bytes.Index(stored, []byte(text)); at >= 0 {
			t.Errorf("the demonstration has %q", stored[max(0, at-40):at+40])
		}
	}
}

// outcomes returns the decisions of both environments as text, without ids and times. They are
// sorted by text, because the rows of a batch are decided at the same moment.
func outcomes(t *testing.T, service *usecase.Set, made demo.Filled) string {
	t.Helper()
	var out strings.Builder
	for _, env := range tenant.Environments() {
		for cursor := ""; ; {
			page, err := service.Decisions.Decisions(t.Context(), caller(made, env), decisioning.DecisionFilter{},
				operation.List{Limit: 100, Cursor: cursor})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range page.Data {
				_, _ = fmt.Fprintln(&out, env, d.ApplicantRef, d.Status, d.Grade, d.Hash)
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
	}
	list := strings.Split(out.String(), "\n")
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func checkPolicies(t *testing.T, service *usecase.Set, p tenant.Principal) {
	t.Helper()
	sets, err := service.Policies.RuleSets(t.Context(), p, policydesk.RuleSetFilter{PolicyKey: "default"},
		operation.List{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, s := range sets.Data {
		one, err := service.Policies.RuleSet(t.Context(), p, s.ID)
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, fmt.Sprint(s.Version, " ", s.Status))
		if s.Version == 5 && len(one.Findings) < 3 {
			t.Errorf("the draft has %d findings", len(one.Findings))
		}
	}
	if diff := cmp.Diff([]string{"5 draft", "4 active", "3 retired", "2 draft", "1 retired"}, versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

func checkAlerts(t *testing.T, service *usecase.Set, p tenant.Principal) {
	t.Helper()
	alerts, err := service.Fraud.Alerts(t.Context(), p, frauddesk.AlertFilter{}, operation.List{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range alerts.Data {
		seen[a.Status] = true
		seen[a.Type] = true
		seen[a.Resolution] = true
	}
	for _, want := range append(append(frauddesk.AlertStates(), frauddesk.AlertTypes()...),
		"confirmed_fraud", "false_positive") {
		if !seen[want] {
			t.Errorf("no alert is %s", want)
		}
	}
	if len(alerts.Data) > 16 {
		t.Errorf("%d alerts: ordinary applicants raise them", len(alerts.Data))
	}
}

func checkRest(t *testing.T, service *usecase.Set, p tenant.Principal) {
	t.Helper()
	ctx, list := t.Context(), operation.List{Limit: 100}
	counts := map[string]int{}
	for _, status := range []string{"APPROVED", "REFERRED", "DECLINED"} {
		page, err := service.Decisions.Decisions(ctx, p, decisioning.DecisionFilter{Status: status}, list)
		if err != nil {
			t.Fatal(err)
		}
		counts[status] = len(page.Data)
	}
	for _, status := range study.BacktestStates() {
		page, err := service.Backtests.List(ctx, p, status, list)
		if err != nil {
			t.Fatal(err)
		}
		counts["backtest "+status] = len(page.Data)
	}
	runs, err := service.Agents.AgentRuns(ctx, p, agentdesk.RunFilter{}, list)
	if err != nil {
		t.Fatal(err)
	}
	cards, err := service.Policies.Scorecards(ctx, p, "", list)
	if err != nil {
		t.Fatal(err)
	}
	audit, err := service.People.Audit(ctx, p, account.AuditFilter{Action: "decision.reviewed"}, list)
	if err != nil {
		t.Fatal(err)
	}
	counts["runs"], counts["scorecards"], counts["reviews"] = len(runs.Data), len(cards.Data), len(audit.Data)
	for what, least := range map[string]int{
		"APPROVED":           10,
		"REFERRED":           5,
		"DECLINED":           10,
		"backtest succeeded": 3,
		"backtest cancelled": 1,
		"runs":               5,
		"scorecards":         2,
		"reviews":            1,
	} {
		if counts[what] < least {
			t.Errorf("%s: %d, fewer than %d", what, counts[what], least)
		}
	}
}
