package replay_test

import (
	"os"
	"path/filepath"
	"testing"

	"verdict/internal/agent"
	"verdict/internal/agentdesk"
	"verdict/internal/feature"
	"verdict/internal/operation"
	"verdict/internal/report"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// leastDecisions is the minimum number of decisions in a corpus.
const leastDecisions = 10_000

// restored restores a corpus into the database and returns the use cases over it.
func restored(t *testing.T, file, databaseURL string) (*store.DB, *usecase.Set) {
	t.Helper()
	backup, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = backup.Close() }() // the file was only read
	if _, err := store.Restore(t.Context(), databaseURL, backup, store.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, databaseURL, store.Options{})
	service, err := usecase.New(db, usecase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return db, service
}

// TestReplay replays every committed decision and checks that it has the stored hash. If it fails,
// this version changes past decisions. Such a change needs at least a new engine version, and is
// most likely a mistake.
func TestReplay(t *testing.T) {
	t.Parallel()
	files := corpora(t)
	for i, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			db, service := restored(t, file, storetest.SQLite(t))
			t.Run("reproduces", func(t *testing.T) {
				t.Parallel()
				reproduces(t, service)
			})
			t.Run("repeats runs", func(t *testing.T) {
				t.Parallel()
				repeats(t, db, service)
			})
			t.Run("covers", func(t *testing.T) {
				t.Parallel()
				seen := newSeen()
				eachScope(t, db, func(scope *store.Scope) { seen.look(t, scope) })
				if i == len(files)-1 { // older corpora may lack newer operators and blocks
					seen.check(t)
				}
				t.Logf("%d policies, %d feature vectors", seen.policies, seen.vectors)
			})
			t.Run("drawn again", func(t *testing.T) {
				t.Parallel()
				if i == len(files)-1 {
					drawnAgain(t, db, 3)
				}
			})
		})
	}
}

// TestReplayEncrypted encrypts the newest corpus and replays it. Encryption must change no
// decision, no run and no entry of the journal.
func TestReplayEncrypted(t *testing.T) {
	t.Parallel()
	files := corpora(t)
	db, _ := restored(t, files[len(files)-1], storetest.SQLite(t))
	service, err := usecase.New(db, usecase.Options{MasterKey: usecasetest.MasterKey})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.Decisions.Audit.Backfill(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := service.Protect(t.Context()); err != nil {
		t.Fatal(err)
	}
	eachScope(t, db, func(scope *store.Scope) {
		left, _, err := scope.Decisions(t.Context()).WithUnencrypted("", 1)
		if err != nil || len(left) > 0 {
			t.Errorf("%d decisions are still unencrypted: %v", len(left), err)
		}
	})
	reproduces(t, service)
	repeats(t, db, service)
}

// reproduces replays all decisions.
func reproduces(t *testing.T, service *usecase.Set) {
	t.Helper()
	found, err := service.Decisions.Audit.Verify(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range found.Wrong[:min(5, len(found.Wrong))] {
		t.Errorf("%s, decided by engine %s: %s", w.ID, w.EngineVersion, w.Why)
	}
	if found.Failed > 0 || found.Checked < leastDecisions {
		t.Errorf("%d of %d decisions do not reproduce; a corpus has at least %d", found.Failed,
			found.Checked, leastDecisions)
	}
}

// repeats repeats the newest stored runs of the agents in each environment, and checks that the
// bytes are equal.
func repeats(t *testing.T, db *store.DB, service *usecase.Set) {
	t.Helper()
	const enough = 50 // runs of each environment
	agents, checked := agent.New(service.Decisions, service.Agents, agent.Options{}), 0
	eachCaller(t, db, func(p tenant.Principal) {
		page, err := service.Agents.AgentRuns(t.Context(), p, agentdesk.RunFilter{}, operation.List{Limit: enough})
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range page.Data {
			repeated, err := agents.Run(t.Context(), p, run.ID)
			if err != nil {
				t.Fatal(err)
			}
			if checked++; !repeated.Verified {
				t.Errorf("%s does not come out again", run.ID)
			}
		}
	})
	if checked == 0 {
		t.Error("the corpus has no run")
	}
}

// eachCaller calls the function with a principal that may read, for each environment of every
// tenant.
func eachCaller(t *testing.T, db *store.DB, call func(tenant.Principal)) {
	t.Helper()
	tenants, err := db.Accounts().ListTenants(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tenants {
		for _, e := range tenant.Environments() {
			call(tenant.Principal{TenantID: one.ID, Environment: e, Scopes: tenant.Read})
		}
	}
}

// eachScope calls the function with the scope of each environment of every tenant.
func eachScope(t *testing.T, db *store.DB, call func(*store.Scope)) {
	t.Helper()
	tenants, err := db.Accounts().ListTenants(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range tenants {
		for _, e := range tenant.Environments() {
			call(db.Scope(one.ID, string(e)))
		}
	}
}

// remeasured computes a stored feature vector again from the archived history. It returns "" if the
// vector is the same, and otherwise a text that says how it differs.
func remeasured(stored store.Features) string {
	history, statement, err := report.ReadArchive(stored.Source)
	if err != nil {
		return "the archived history cannot be read: " + err.Error()
	}
	var was, now feature.Vector
	if err := feature.DecodeVector(stored.Vector, &was); err != nil {
		return "the vector cannot be read: " + err.Error()
	}
	day, ok := dayOf(stored.AsOf)
	if !ok {
		return "it is of no day: " + stored.AsOf
	}
	feature.Compute(was.Catalogue(), history, statement, day, &now)
	switch {
	case was.Hash() != stored.Hash:
		return "the stored vector is not the one that was hashed"
	case now.Hash() != stored.Hash:
		return "the features come out otherwise: " + now.Hash()
	}
	return ""
}

// drawnAgain lets this version decide the requests of the first policies of the newest corpus again,
// in a new database, and compares the hashes. This also tests how requests, bureau reports, bank
// statements and other blocks are read. If it fails and the change is intended, add a new corpus
// with -update and keep the existing corpora.
func drawnAgain(t *testing.T, newest *store.DB, policies int) {
	t.Helper()
	// Compare by time and not by id, because ids also depend on the ids of alerts.
	was := map[int64]string{}
	eachDecision(t, newest, func(d *store.Decision) { was[d.CreatedMicros] = d.Hash })
	db := storetest.Open(t, storetest.SQLite(t), store.Options{})
	if err := fill(t.Context(), db, policies); err != nil {
		t.Fatal(err)
	}
	drawn, different := 0, 0
	eachDecision(t, db, func(d *store.Decision) {
		if drawn++; was[d.CreatedMicros] != d.Hash {
			different++
		}
	})
	if different > 0 || drawn != policies*perPolicy {
		t.Errorf("of %d requests, %d are decided otherwise than in the newest corpus; there are %d", drawn,
			different, policies*perPolicy)
	}
}

// eachDecision calls the function with every stored decision.
func eachDecision(t *testing.T, db *store.DB, call func(*store.Decision)) {
	t.Helper()
	eachScope(t, db, func(scope *store.Scope) {
		err := scope.Decisions(t.Context()).Walk(store.DecisionFilter{}, store.Page{}, func(d *store.Decision) error {
			call(d)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
