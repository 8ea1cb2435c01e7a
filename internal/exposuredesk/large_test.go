package exposuredesk_test

import (
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/evidence"
	"verdict/internal/privacydesk"
	"verdict/internal/proof"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase/usecasetest"
)

// rowsVariable is the environment variable with the number of decisions in the larger database of TestOwnIsFlat.
const rowsVariable = "VERDICT_ROWS"

const (
	fewDecisions = 2_000 // number of decisions in the smaller database of TestOwnIsFlat
	perPerson    = 4     // decisions of each person
)

// TestOwnIsFlat measures how long it takes to read what was decided for a person, and to decide with it. It compares
// two databases: one has few decisions of other people, the other has many. If the result is written to a document,
// nothing else should run on the machine, and the test checks the times: with many decisions, reading and deciding
// take at most 1.3 times as long. Decisions under a policy that does not read earlier decisions are measured too.
// They show how much of the difference the larger tables cause.
//
// Each person is read twice, on different connections, and both readings are checked. Some machines drop file pages
// that were not used for some seconds, although they have free memory. The first reading then waits for the disk,
// and the second shows the time without it.
func TestOwnIsFlat(t *testing.T) {
	t.Parallel()
	many := 3 * fewDecisions
	if text := os.Getenv(rowsVariable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < many {
			t.Fatalf("%s is %q; it must be a number of at least %d", rowsVariable, text, many)
		}
		many = n
	}
	document := os.Getenv(proof.Variable)
	beside := "beside " + strconv.Itoa(fewDecisions)
	var missed []string // reported at the end, because a filler stops at the first error
	table := [][]string{{"database", "decisions", "stored in", "reading what was decided for a person", beside, "ratio",
		"a decision with it", beside, "ratio", "a decision without it", beside, "ratio",
		"the first reading, partly from disk", beside, "ratio", "erasing a person with 100 decisions"}}
	for _, database := range []struct {
		name string
		url  func(testing.TB) string
	}{{"SQLite", storetest.MigratedSQLite}, {"PostgreSQL", storetest.MigratedPostgres}} {
		few, large := newFiller(t, database.url(t)), newFiller(t, database.url(t))
		few.fill(fewDecisions)
		begun := time.Now()
		large.fill(many)
		took := time.Since(begun)
		row := []string{database.name, strconv.Itoa(many), took.Round(time.Second).String()}
		times := measure(few, large)
		for i, what := range []string{"reading", "deciding with it", "deciding without it", "the first reading"} {
			ratio := float64(times[1][i]) / float64(times[0][i])
			row = append(row, times[1][i].String(), times[0][i].String(), fmt.Sprintf("%.2f", ratio))
			if document != "" && i != 2 && ratio > 1.3 {
				missed = append(missed, fmt.Sprintf("%s: %s takes %s beside %d decisions and %s beside %d",
					database.name, what, times[1][i], many, times[0][i], fewDecisions))
			}
		}
		erased := large.erase()
		table = append(table, append(row, erased.String()))
		if document != "" && erased > time.Second {
			missed = append(missed, fmt.Sprintf("%s: erasing a person with 100 decisions among %d takes %s",
				database.name, many, erased))
		}
	}
	text := proof.Origin(t.Context(), time.Now(), fmt.Sprintf("make large DECISIONS=%d", many)) + "\n" +
		proof.Table(table)
	t.Log(text)
	if err := proof.Write(document, "large-exposure", text); err != nil {
		t.Error(err)
	}
	for _, bound := range missed {
		t.Error(bound)
	}
}

// filler stores decisions of many people.
type filler struct {
	*bench
	scope  *store.Scope
	other  *store.Scope   // the same scope on connections of its own
	sample store.Decision // the decision of which all others are copies
	ids    *tenant.IDs
	stored int
}

// plainKey is the policy_key of the policy that does not read what was decided before. Its length is that of "default".
const plainKey = "without"

// newFiller opens a service on an empty database, with both policies.
func newFiller(t *testing.T, databaseURL string) *filler {
	t.Helper()
	b := open(t, databaseURL)
	base := b.activate(`{"name":"uncapped"}`)
	b.activate(fmt.Sprintf(`{"name":"uncapped","policy_key":%q,"base":%q}`, plainKey, base.ID))
	b.activate(capped)
	scope := b.db.Scope(b.Caller.TenantID, string(b.Caller.Environment))
	sample, err := scope.Decisions(b.Context()).Get(b.decide(b.nodes[0], asks("sample", "default", 100_000)).id)
	if err != nil {
		b.Fatal(err)
	}
	other := storetest.Open(t, databaseURL, store.Options{}).Scope(b.Caller.TenantID, string(b.Caller.Environment))
	return &filler{bench: b, scope: scope, other: other, sample: sample, ids: tenant.NewIDs(rand.Reader)}
}

// person returns the reference of the person whom decision i is about. The decisions of a person are far apart.
func person(i int) string {
	return fmt.Sprint("F-", i%(fewDecisions/perPerson)+i/fewDecisions*fewDecisions)
}

// fill stores decisions until there are total decisions. It stores many at the same time, so that they are committed
// together.
func (f *filler) fill(total int) {
	f.Helper()
	var next atomic.Int64
	next.Store(int64(f.stored))
	var workers sync.WaitGroup
	for range 128 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(total); i = next.Add(1) - 1 {
				if err := f.insert(person(int(i))); err != nil {
					f.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	f.stored = total
	if f.Failed() {
		f.FailNow()
	}
}

// insert stores a decision for a person, as the service would: with its entry in the journal.
func (f *filler) insert(ref string) error {
	w := &store.DecisionWrite{Decision: f.sample}
	d := &w.Decision
	d.ID = f.ids.New(tenant.KindDecision, f.clock.Now())
	made, _ := tenant.Time(d.ID) // every new id contains a time
	d.CreatedMicros, d.ApplicantRef, d.Leaf = made.UnixMicro(), ref, -1
	leaf := evidence.Leaf{Kind: evidence.Decision, ID: d.ID, At: evidence.At(d.CreatedMicros)}
	w.Entry = store.Entry{Leaf: leaf.Pack(nil)}
	w.Meter = store.Meter{
		Period: "2026-11", Day: "2026-11-15", Endpoint: d.Endpoint, Units: 1, Quota: store.Unmetered,
	}
	return f.scope.InsertDecision(f.Context(), w)
}

// measure returns four durations for each of two databases: the time to read what was decided for a person, to decide
// with it, to decide without it, and to read it for the first time. The databases take turns, because the speed of
// the machine changes within seconds. Each result is the lowest of several medians, each over several people,
// because other work on the machine only adds to the times. Nothing was decided for these people since they were
// stored.
func measure(few, many *filler) (lowest [2][4]time.Duration) {
	const people, together = 240, 40
	var times [2][4][]time.Duration
	for i := range people {
		for k := range times {
			side := (i + k) % 2
			f := []*filler{few, many}[side]
			// Spread the people evenly over the database. Decisions without own exposure are measured for other
			// people.
			at := (f.stored/fewDecisions - 1) * i / people * fewDecisions
			ref, other := person(at+2*i%(fewDecisions/perPerson)), person(at+(2*i+1)%(fewDecisions/perPerson))
			f.measureOne(ref, other, &times[side])
		}
	}
	for side := range times {
		for what, all := range times[side] {
			var medians []time.Duration
			for group := range slices.Chunk(all, together) {
				slices.Sort(group)
				medians = append(medians, group[together/2])
			}
			lowest[side][what] = slices.Min(medians)
		}
	}
	return lowest
}

// measureOne adds the times of four steps: reading what was decided for a person on another connection, reading the
// same again, deciding with it, and deciding for another person without it.
func (f *filler) measureOne(ref, other string, times *[4][]time.Duration) {
	f.Helper()
	for _, reading := range []struct {
		scope *store.Scope
		at    int
	}{{f.other, 3}, {f.scope, 0}} {
		begun := time.Now()
		own, err := reading.scope.Exposures(f.Context()).Own(store.OwnQuery{ApplicantRef: ref})
		times[reading.at] = append(times[reading.at], time.Since(begun))
		if err != nil || len(own.Decisions) != perPerson {
			f.Fatalf("%s has %d decisions, %v", ref, len(own.Decisions), err)
		}
	}
	for i, asked := range []string{asks(ref, "default", 50_000), asks(other, plainKey, 50_000)} {
		request := application.DecisionRequest(usecasetest.Parse(f.T, asked))
		begun := time.Now()
		made, err := f.nodes[0].Decisions.Decide(f.Context(), f.Caller, request, nil)
		times[1+i] = append(times[1+i], time.Since(begun))
		if err != nil {
			f.Fatal(err)
		}
		if i == 0 {
			f.want(f.read(made.ID), map[string]string{"own_open_offer": "100000"})
		}
	}
}

// erase makes a hundred decisions for a person, erases the person, and returns how long that took.
func (f *filler) erase() time.Duration {
	f.Helper()
	const ref, decisions = "erased", 100
	for range decisions {
		f.decide(f.nodes[0], asks(ref, "default", 50_000))
	}
	f.clock.Pass(decisioning.MaxOfferLife) // an open offer would defer the erasure
	begun := time.Now()
	person := privacydesk.NewErasure{ApplicantRef: ref, Reason: "applicant_request"}
	done, err := f.nodes[0].Privacy.Erase(f.Context(), f.admin, person, nil)
	took := time.Since(begun)
	if err != nil || done.Counts.Decisions != decisions {
		f.Fatalf("%+v, %v", done, err)
	}
	return took
}
