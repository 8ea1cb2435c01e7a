package console_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// TestDecisionsByScoreAndAmount checks the list of decisions by score and by amount: the order, the pages, the links of
// the columns, the file, and that the page says which decisions are sorted.
func TestDecisionsByScoreAndAmount(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	for i := range 55 {
		b.decide(tenant.Sandbox, fmt.Sprintf("KC-%d", 100+i))
	}
	b.apply(tenant.Sandbox, declined("KD-1"))
	const at = "/console/sandbox/decisions?sort="
	shown := b.get(at+"score").want(http.StatusOK).
		has("Sorted by score: all 56 decisions that match", `aria-sort="descending"`, ">KC-154<", ">KC-105<",
			"Next page",
			`<option value="score" selected>`, "decisions?sort=score-low", "decisions.csv?sort=score").
		hasNot(">KD-1<", ">KC-104<")
	b.get(link(shown, "Next page")).want(http.StatusOK).has(">KC-104<", ">KC-100<", ">KD-1<", "First page").
		hasNot(">KC-105<", "Next page")
	b.get(at+"score-low").want(http.StatusOK).has(">KD-1<", `aria-sort="ascending"`).hasNot(">KC-100<")
	b.get(at + "offered-low").want(http.StatusOK).hasNot(">KD-1<") // nothing was offered, so it comes last
	b.get(at+"asked&status=DECLINED").want(http.StatusOK).has("the one decision that matches", ">KD-1<")
	b.get(at + "asked&status=REFERRED").want(http.StatusOK).has("Nothing found").hasNot("Sorted by")
	b.get(at+"score&q=KC-1").want(http.StatusOK).has("cannot be sorted otherwise", ">KC-154<").hasNot("Sorted by")
	b.get(at+"anything").want(http.StatusOK).has(">KD-1<", `aria-sort="descending"`).hasNot("Sorted by")
	b.get(at + "score&cursor=" + strings.Repeat("A", 40)).want(http.StatusBadRequest)

	lines := strings.Split(strings.TrimSpace(b.get("/console/sandbox/decisions.csv?sort=score-low").want(
		http.StatusOK).body), "\n")
	if len(lines) != 57 || !strings.Contains(lines[1], ",KD-1,DECLINED,") ||
		slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "The file ends here") }) {
		t.Errorf("the file of 56 decisions has %d lines, of which the second is %s", len(lines), lines[1])
	}
}
