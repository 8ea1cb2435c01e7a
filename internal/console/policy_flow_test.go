package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestPolicyPicture checks that the picture of a policy counts the hits and outcomes of the chosen days, and that each
// of its boxes leads to a section that exists, on the page of the version and in the editor.
func TestPolicyPicture(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := houseOver(t, db)
	b := h.signUp()
	id := b.active(tenant.Sandbox)
	b.decide(tenant.Sandbox, "A-1")
	b.clock.advance(12 * 24 * time.Hour)
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	b.decide(tenant.Sandbox, "A-2")
	b.decide(tenant.Sandbox, "A-3")
	who := b.who(tenant.Sandbox)
	var stats []store.RuleStat
	for daysAgo, hits := range map[int]int64{2: 30, 20: 41} {
		stats = append(stats, store.RuleStat{
			TenantID: who.TenantID, Environment: string(who.Environment), RuleSetID: id, RuleID: "KO_MIN_INCOME",
			Day: tenant.BusinessDay(h.clock.now().AddDate(0, 0, -daysAgo)), Evaluated: 1000, Hit: hits,
		})
	}
	if err := db.System().AddRuleStats(t.Context(), stats); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string][2]string{
		"": {"71 KO_MIN_INCOME", "30 days"}, "?days=30": {"71 KO_MIN_INCOME", "30 days"},
		"?days=7": {"30 KO_MIN_INCOME", "7 days"}, "?days=8": {"71 KO_MIN_INCOME", "30 days"},
	} {
		for _, page := range []string{"", "/edit"} {
			at := "/console/sandbox/policies/" + id + page + query
			b.get(at).want(http.StatusOK).has(want[0], "in "+want[1])
		}
	}
	count := func(query string) string {
		return b.between("/console/sandbox/policies/"+id+query, ">Approved</th>", "</tr>")
	}
	month, week := count(""), count("?days=7")
	if !strings.Contains(month, ">3<") || !strings.Contains(week, ">2<") {
		t.Errorf("approved in 30 days: %s, in 7 days: %s", month, week)
	}

	viewer := b.colleague(tenant.RoleViewer)
	for _, look := range []*answer{
		viewer.get("/console/sandbox/policies/" + id), b.get("/console/sandbox/policies/" + id + "/edit"),
		b.get("/console/sandbox/policies/" + id),
	} {
		boxes := 0
		for link := range tags(look.want(http.StatusOK).body, "a") {
			page, place, _ := strings.Cut(link.member("href"), "#at-")
			if place == "" || link.member("class") == "" && !strings.Contains(link.member("href"), "at-") {
				continue
			}
			boxes++
			target := look.body
			if page != "" {
				target = b.get(page).want(http.StatusOK).body
			}
			if !strings.Contains(target, `id="at-`+place+`"`) {
				t.Errorf("a box leads to %s, which does not exist", link.member("href"))
			}
		}
		if boxes < 5 {
			t.Errorf("the picture has %d links", boxes)
		}
	}
}
