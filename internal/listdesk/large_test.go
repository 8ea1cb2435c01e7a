package listdesk_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/field"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/proof"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestMillion uploads a long list, and decides with and without a lookup in it. With VERDICT_LONG, the list has a
// million entries. If the result is written to a document, the test also checks the costs, and nothing else
// should run on the machine. The upload must take at most 30 seconds. With a lookup, a decision must take at most
// a twentieth more processor time, and must keep at most 256 bytes more in memory.
func TestMillion(t *testing.T) {
	t.Parallel()
	m := million{T: t, entries: 20_000, decisions: 60, pairs: 2, rounds: 1}
	if os.Getenv("VERDICT_LONG") != "" {
		m.entries, m.decisions, m.pairs, m.rounds = list.MaxEntries, 1_500, 1_000, 5
	}
	document := os.Getenv(proof.Variable)
	table := [][]string{{"database", "entries", "upload", "processor time of a decision", "with in_list", "ratio",
		"allocated by a decision", "with in_list", "memory kept by each decision", "with in_list"}}
	for _, database := range []struct {
		name string
		url  func(testing.TB) string
	}{{"SQLite", storetest.MigratedSQLite}, {"PostgreSQL", storetest.MigratedPostgres}} {
		upload, without, with, ratio := m.measure(database.url(t))
		table = append(table, []string{
			database.name, fmt.Sprint(m.entries), upload.Round(100 * time.Millisecond).String(),
			without.cpu.Round(time.Microsecond).String(), with.cpu.Round(time.Microsecond).String(),
			fmt.Sprintf("%.3f", ratio), fmt.Sprintf("%d bytes", without.allocated),
			fmt.Sprintf("%d bytes", with.allocated),
			fmt.Sprintf("%d bytes", without.kept), fmt.Sprintf("%d bytes", with.kept),
		})
		const most = 256 // the caches of applicants and of recent requests grow a little with either policy
		if document != "" && (upload > 30*time.Second || ratio > 1.05 || with.kept > without.kept+most) {
			t.Errorf("%s: an upload of %s, %.3f of the processor time, and %d bytes kept instead of %d", database.name,
				upload, ratio, with.kept, without.kept)
		}
	}
	text := proof.Origin(t.Context(), time.Now(), "make large") + "\n" + proof.Table(table)
	t.Log(text)
	if err := proof.Write(document, "large-list", text); err != nil {
		t.Error(err)
	}
}

// million is a test with a long list.
type million struct {
	*testing.T
	entries   int
	decisions int // the number of decisions for which memory is measured
	pairs     int // how often processor time is measured, each time in two blocks of decisions
	rounds    int // how often memory is measured
	sent      int // how many applications were sent
}

// The policies. Their names have the same length, because answers and facts contain them.
var millionKeys = []string{"without_list", "with_in_list"}

// together is the number of decisions in a block.
const together = 50

// cost is what one decision costs.
type cost struct {
	cpu             time.Duration
	allocated, kept int64 // bytes
}

// measure uploads the list and decides under both policies, which are active at the same time. The processor time
// is measured in short blocks that take turns, because the database grows and because the speed of the machine
// changes within seconds. measure returns medians. ratio is the median of the ratios of the processor times in
// each pair of blocks. It is not the ratio of the two medians, because the machine has about the same speed in
// the two blocks of a pair, but not in all blocks.
func (m *million) measure(databaseURL string) (upload time.Duration, without, with cost, ratio float64) {
	m.Helper()
	db := storetest.Open(m, databaseURL, store.Options{})
	service, err := usecase.New(db, usecase.Options{PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey})
	if err != nil {
		m.Fatal(err)
	}
	caller := signedUp(m, service)
	rows := listdesk.Upload{Type: list.Text, CSV: strings.NewReader(file(1, m.entries))}
	begun := time.Now()
	changed, err := service.Lists.Replace(m.Context(), caller, "bad_employers", rows, operation.AnyVersion)
	if err != nil || changed.Entries != int64(m.entries) {
		m.Fatalf("the upload: %+v, %v", changed, err)
	}
	upload = time.Since(begun)
	for i, condition := range []string{`{"op":"eq","field":"applicant.employer","value":"nobody"}`, inBad} {
		base := activated(m, service, caller, condition)
		draft := fmt.Sprintf(`{"name":"employers","policy_key":%q,"base":%q}`, millionKeys[i], base)
		activatedDraft(m, service, caller, draft)
	}
	m.wantDeclined(service, caller)
	m.loadChunks(service, caller)
	var costs [2][]cost
	for pair := range m.pairs + 2 {
		for k := range costs {
			i := (pair + k) % 2
			c := m.decide(service, caller, millionKeys[i], together)
			if pair > 1 { // the first pairs fill the caches
				costs[i] = append(costs[i], c)
			}
		}
	}
	without, with = median(costs[0]), median(costs[1])
	ratios := make([]float64, len(costs[0]))
	for i := range ratios {
		ratios[i] = float64(costs[1][i].cpu) / float64(costs[0][i].cpu)
	}
	slices.Sort(ratios)
	ratio = ratios[len(ratios)/2]
	for i, of := range []*cost{&without, &with} {
		var memories []cost
		for range m.rounds {
			before := memory()
			m.decide(service, caller, millionKeys[i], m.decisions)
			after, n := memory(), int64(m.decisions)
			memories = append(memories, cost{
				allocated: (int64(after.TotalAlloc) - int64(before.TotalAlloc)) / n,
				kept:      (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n,
			})
		}
		seen := median(memories)
		of.allocated, of.kept = seen.allocated, seen.kept
	}
	return upload, without, with, ratio
}

// loadChunks looks up so many values that every chunk of the list is in memory.
func (m *million) loadChunks(service *usecase.Set, caller tenant.Principal) {
	m.Helper()
	ref := rule.Ref{Name: "applicant.employer", ID: rule.Undeclared, Type: rule.StringType}
	questions := []rule.NamedLookup{rule.Lookup{List: "bad_employers", Field: ref}.Named()}
	for i := range 10_000 {
		facts := rule.NewFacts(field.Catalogue())
		facts.Set(ref.Name, rule.Str(fmt.Sprint("Loaded ", i)))
		if err := service.Lists.LookUp(m.Context(), operation.ScopeOf(caller), questions, facts, 1); err != nil {
			m.Fatal(err)
		}
	}
}

// wantDeclined checks that the last entry of the list is found in a decision.
func (m *million) wantDeclined(service *usecase.Set, caller tenant.Principal) {
	m.Helper()
	request := application.DecisionRequest(parsed(m, from(fmt.Sprint("Employer ", m.entries))))
	made, err := service.Decisions.Decide(m.Context(), caller, request, nil)
	if err != nil || made.Status != "DECLINED" {
		m.Fatalf("an employer of the list: %s, %v", made.Status, err)
	}
}

// decide decides and stores applications under a policy.
func (m *million) decide(service *usecase.Set, caller tenant.Principal, policyKey string, count int) cost {
	m.Helper()
	before := cpuTime(m)
	for range count {
		m.sent++
		text := from(fmt.Sprint("Other ", m.sent))
		text = strings.Replace(text, `{`, `{"policy_key":"`+policyKey+`",`, 1)
		request := application.DecisionRequest(parsed(m, text))
		if _, err := service.Decisions.Decide(m.Context(), caller, request, nil); err != nil {
			m.Fatal(err)
		}
	}
	return cost{cpu: (cpuTime(m) - before) / time.Duration(count)}
}

// memory returns the statistics of the memory after a collection.
func memory() (m runtime.MemStats) {
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}

// median returns a cost whose parts are the medians of the parts of the given costs.
func median(costs []cost) cost {
	part := func(of func(cost) int64) int64 {
		values := make([]int64, len(costs))
		for i, c := range costs {
			values[i] = of(c)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return cost{
		cpu:       time.Duration(part(func(c cost) int64 { return int64(c.cpu) })),
		allocated: part(func(c cost) int64 { return c.allocated }),
		kept:      part(func(c cost) int64 { return c.kept }),
	}
}
