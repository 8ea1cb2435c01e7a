package listdesk_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// file returns a CSV file with the values from first to last.
func file(first, last int) string {
	var rows strings.Builder
	rows.WriteString("value\n")
	for i := first; i <= last; i++ {
		fmt.Fprintf(&rows, "employer %d\n", i)
	}
	return rows.String()
}

// upload replaces a text list by a file.
func (b *bench) upload(name, rows string) listdesk.Changed {
	b.Helper()
	changed, err := b.Service.Lists.Replace(b.Context(), b.Caller, name,
		listdesk.Upload{Type: list.Text, CSV: strings.NewReader(rows)}, operation.AnyVersion)
	if err != nil {
		b.Fatal(err)
	}
	return changed
}

// contains fails the test if the list lacks a value for which want is true, or contains a value for which want is
// false.
func (b *bench) contains(name string, want map[string]bool) {
	b.Helper()
	for value, listed := range want {
		found, err := b.Service.Lists.Contains(b.Context(), b.Caller, name, value)
		if err != nil || found.Contains != listed {
			b.Errorf("%q: %+v, %v; want %v", value, found, err, listed)
		}
	}
}

// chunks returns the number of stored chunks.
func (b *bench) chunks() int {
	b.Helper()
	later := b.clock.Now().Add(time.Hour).UnixMicro()
	found, err := b.db.System().OlderChunks(b.Context(), store.ChunkPlace{}, later, 10_000)
	if err != nil {
		b.Fatal(err)
	}
	return len(found)
}

// TestLargeList replaces and changes a list of many chunks. A small change writes only few chunks, and none is left
// over.
func TestLargeList(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		const size = 20_000
		if got := b.upload("employers", file(1, size)); got.Entries != size || got.Version != 1 {
			b.Fatalf("%+v", got)
		}
		chunks := b.chunks()
		if chunks < 10 || chunks > 64 {
			b.Errorf("%d chunks", chunks)
		}
		b.contains("employers", map[string]bool{"Employer 1": true, "employer 20000": true, "employer 20001": false})
		changed, err := b.Service.Lists.Change(b.Context(), b.Caller, "employers", listdesk.Patch{
			Add:    []listdesk.NewEntry{{Value: "employer 20001"}, {Value: "EMPLOYER 7"}},
			Remove: []listdesk.NewEntry{{Value: "employer 1"}},
		}, operation.AnyVersion)
		if err != nil || changed.Entries != size || changed.Added != 1 || changed.Removed != 1 || changed.Version != 2 {
			b.Errorf("%+v, %v", changed, err)
		}
		b.contains("employers", map[string]bool{"Employer 1": false, "employer 7": true, "employer 20001": true})
		if now := b.chunks(); now != chunks {
			b.Errorf("%d chunks, there were %d", now, chunks)
		}

		seen := map[string]bool{}
		for page := (operation.List{Limit: operation.MaxLimit}); ; {
			got, err := b.Service.Lists.Entries(b.Context(), b.Caller, "employers", page)
			if err != nil {
				b.Fatal(err)
			}
			for _, e := range got.Data {
				if seen[e.Value] {
					b.Errorf("%q is shown twice", e.Value)
				}
				seen[e.Value] = true
			}
			if page.Cursor = got.NextCursor; page.Cursor == "" {
				break
			}
		}
		if len(seen) != size || seen["employer 1"] || !seen["EMPLOYER 7"] || seen["employer 7"] {
			b.Errorf("%d entries are shown", len(seen))
		}

		b.upload("employers", file(1, 10))
		if now := b.chunks(); now != 1 {
			b.Errorf("a small list has %d chunks", now)
		}
		err = b.Service.Lists.Delete(b.Context(), b.Caller, "employers", operation.AnyVersion)
		if err != nil || b.chunks() != 0 {
			b.Errorf("%d chunks are left: %v", b.chunks(), err)
		}
	})
}

// TestGrowingList adds entries until the list is divided again.
func TestGrowingList(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.upload("employers", file(1, 1_000))
		if n := b.chunks(); n != 1 {
			b.Errorf("%d chunks", n)
		}
		next := 1_001
		for range 3 {
			var add []listdesk.NewEntry
			for range 900 {
				add = append(add, listdesk.NewEntry{Value: fmt.Sprint("employer ", next)})
				next++
			}
			if _, err := b.Service.Lists.Change(b.Context(), b.Caller, "employers", listdesk.Patch{Add: add},
				operation.AnyVersion); err != nil {
				b.Fatal(err)
			}
		}
		if n := b.chunks(); n < 2 {
			b.Errorf("%d chunks", n)
		}
		b.contains("employers", map[string]bool{"employer 1": true, "employer 3700": true, "employer 3701": false})
		if got, err := b.Service.Lists.List(b.Context(), b.Caller, "employers"); err != nil || got.Entries != 3_700 {
			b.Errorf("%+v, %v", got, err)
		}
	})
}

// TestExpiry decides before and after an entry expires.
func TestExpiry(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		until := b.clock.Now().Add(time.Hour)
		_, err := b.Service.Lists.Replace(b.Context(), b.Caller, "bad_employers", listdesk.Upload{
			Type: list.Text, Entries: []listdesk.NewEntry{{Value: "Acme", ExpiresAt: until}},
		}, operation.AnyVersion)
		if err != nil {
			b.Fatal(err)
		}
		b.activate(inBad)
		for _, want := range []string{"DECLINED", "APPROVED"} {
			if _, answer := b.explained(b.Decided(b.T, from("acme"))); answer["status"] != want {
				b.Errorf("%v, want %s", answer["status"], want)
			}
			b.clock.Pass(time.Hour)
		}
	})
}

// TestPurge removes the chunks of an interrupted upload, and keeps those of lists.
func TestPurge(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.upload("employers", file(1, 10))
		scope := b.db.Scope(b.Caller.TenantID, string(b.Caller.Environment))
		err := scope.Write(b.Context(), func(tx *store.Tx) error {
			return tx.Lists().InsertChunks("lst_interrupted", []store.ListChunk{
				{ID: 5, CreatedMicros: b.clock.Now().UnixMicro(), Keys: []byte{1, 0}, Values: []byte{1}},
			})
		})
		if err != nil {
			b.Fatal(err)
		}
		b.Service.Lists.Purge(b.Context())
		if n := b.chunks(); n != 2 {
			b.Errorf("%d chunks after an early purge", n)
		}
		b.clock.Pass(3 * time.Hour)
		b.Service.Lists.Purge(b.Context())
		if n := b.chunks(); n != 1 {
			b.Errorf("%d chunks after the purge", n)
		}
		b.contains("employers", map[string]bool{"employer 10": true})
	})
}

// TestDiscardKeepsTheLatest discards chunks as a node does if it does not know whether its commit succeeded. The
// chunks of the latest version must never be deleted, and the chunks of an earlier version must be deleted.
func TestDiscardKeepsTheLatest(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.upload("employers", file(1, 10))
		scope := b.db.Scope(b.Caller.TenantID, string(b.Caller.Environment))
		stored, err := scope.Lists(b.Context()).Get("employers")
		if err != nil {
			b.Fatal(err)
		}
		b.Service.Lists.Discard(b.Context(), scope, stored)
		b.contains("employers", map[string]bool{"employer 10": true})
		b.upload("employers", file(1, 11))
		b.Service.Lists.Discard(b.Context(), scope, stored)
		b.contains("employers", map[string]bool{"employer 11": true})
		if n := b.chunks(); n != 1 {
			b.Errorf("%d chunks are stored", n)
		}
	})
}

// employerAndDealer is a draft that looks up two fields in one list. EMPLOYER and DEALER are listed together.
const employerAndDealer = `{"name":"employers","inputs":[{"name":"applicant.employer","type":"string"},
	{"name":"applicant.dealer","type":"string"}],"patch":{"knockouts":{"set":[{"id":"KO_EMPLOYER",
	"reason_code":"EMP_LISTED","condition_ast":{"op":"and","args":[
		{"op":"in_list","field":"applicant.employer","list":"bad_employers"},
		{"op":"in_list","field":"applicant.dealer","list":"bad_employers"}]}}]}}}`

// apart returns two values that belong to different chunks of a list.
func (b *bench) apart(name string) (first, second string) {
	b.Helper()
	first = "watched 0"
	for i := 1; i < 1000; i++ {
		second = fmt.Sprint("watched ", i)
		at, err := b.Service.Lists.ChunkOf(b.Context(), operation.ScopeOf(b.Caller), name, first)
		if err != nil {
			b.Fatal(err)
		}
		other, err := b.Service.Lists.ChunkOf(b.Context(), operation.ScopeOf(b.Caller), name, second)
		if err != nil {
			b.Fatal(err)
		}
		if at != other {
			return first, second
		}
	}
	b.Fatal("all values belong to one chunk")
	return "", ""
}

// TestReplacedWhileDeciding replaces and patches a list of many chunks again and again while decisions are made on two
// nodes. Each decision looks up two values that belong to different chunks. Odd versions of the list have both values,
// and even versions have neither. Every decision names one version, and both answers must be of this version.
func TestReplacedWhileDeciding(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		const entries, changes = 8_000, 20
		b.upload("bad_employers", file(1, entries))
		if n := b.chunks(); n < 4 {
			b.Fatalf("the list has only %d chunks", n)
		}
		employer, dealer := b.apart("bad_employers")
		with := file(1, entries) + employer + "\n" + dealer + "\n"
		err := b.Service.Lists.Delete(b.Context(), b.Caller, "bad_employers", operation.AnyVersion)
		if err != nil {
			b.Fatal(err)
		}
		odd := b.upload("bad_employers", with).Version % 2 // the versions with both values
		activatedDraft(b.T, b.Service, b.Caller, employerAndDealer)
		other, err := usecase.New(storetest.Open(b.T, b.url, store.Options{}), usecase.Options{
			Now: b.clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		})
		if b.db.Kind() == "sqlite" { // only one process may open a SQLite database
			other, err = b.Service, nil
		}
		if err != nil {
			b.Fatal(err)
		}
		text := strings.Replace(from(employer), `"id":`, `"dealer":"`+dealer+`","id":`, 1)
		request := application.DecisionRequest(usecasetest.Parse(b.T, text))
		first, err := b.Service.Decisions.Decide(b.Context(), b.Caller, request, nil) // with the first version
		if err != nil {
			b.Fatal(err)
		}
		ids := []string{first.ID}
		both := []listdesk.NewEntry{{Value: employer}, {Value: dealer}}
		// Each change is a file with or without both values, or a patch that adds or removes both.
		change := func(i int) error {
			listed := i%2 == 1
			var err error
			switch {
			case i%4 < 2 && listed:
				_, err = b.Service.Lists.Change(b.Context(), b.Caller, "bad_employers", listdesk.Patch{Add: both},
					operation.AnyVersion)
			case i%4 < 2:
				_, err = b.Service.Lists.Change(b.Context(), b.Caller, "bad_employers", listdesk.Patch{Remove: both},
					operation.AnyVersion)
			default:
				rows := file(1, entries)
				if listed {
					rows = with
				}
				_, err = b.Service.Lists.Replace(b.Context(), b.Caller, "bad_employers",
					listdesk.Upload{Type: list.Text, CSV: strings.NewReader(rows)}, operation.AnyVersion)
			}
			return err
		}
		done := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			defer close(done)
			for i := range changes {
				if err := change(i); err != nil {
					b.Error(err)
					return
				}
				b.clock.Pass(300 * time.Millisecond)
			}
		})
		var mu sync.Mutex
		for _, node := range []*usecase.Set{b.Service, other} {
			all.Go(func() {
				for running := true; running; {
					select {
					case <-done:
						running = false
					default:
					}
					decided, err := node.Decisions.Decide(b.Context(), b.Caller, request, nil)
					if err != nil {
						b.Error(err)
						return
					}
					mu.Lock()
					ids = append(ids, decided.ID)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		versions := map[int64]bool{}
		for _, id := range ids {
			shown, _ := b.explained(id)
			version := shown.Facts.Get(rule.ListVersionFact("bad_employers")).Number().Floor()
			want := version%2 == odd
			employed := shown.Facts.Get("list.bad_employers.applicant.employer").IsTrue()
			dealt := shown.Facts.Get("list.bad_employers.applicant.dealer").IsTrue()
			if versions[version] = true; employed != want || dealt != want || !shown.Again.Verified {
				b.Errorf("decision %s: version %d, listed %v and %v, verified %v", id, version, employed, dealt,
					shown.Again.Verified)
			}
		}
		if len(versions) < 2 {
			b.Errorf("only versions %v were seen", versions)
		}
	})
}

// TestUnreadableList decides with a list whose only chunk is damaged, then missing. Such a decision is refused: without
// the answer of the list it could be wrong. Applications that need no answer are decided.
func TestUnreadableList(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("bad_employers", "Acme")
		b.activate(inBad)
		raw := storetest.Raw(b.T, b.url)
		change := func(statement string) {
			b.Helper()
			tx, err := raw.BeginTx(b.Context(), nil)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = tx.Rollback() }()
			if b.db.Kind() != "sqlite" {
				_, err := tx.ExecContext(b.Context(), "SELECT set_config('verdict.role', 'system', true)")
				if err != nil {
					b.Fatal(err)
				}
			}
			changed, err := tx.ExecContext(b.Context(), statement)
			if err != nil {
				b.Fatal(err)
			}
			if n, err := changed.RowsAffected(); err != nil || n != 1 {
				b.Fatalf("%s changes %d rows, %v", statement, n, err)
			}
			if err := tx.Commit(); err != nil {
				b.Fatal(err)
			}
		}
		// A node without the chunk in memory.
		fresh := func() *usecase.Set {
			b.Helper()
			service, err := usecase.New(b.db, usecase.Options{
				Now: b.clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
			})
			if err != nil {
				b.Fatal(err)
			}
			return service
		}
		for _, c := range []struct{ name, statement string }{
			{"damaged", "UPDATE list_chunks SET keys = CAST('damaged' AS BYTEA)"},
			{"missing", "DELETE FROM list_chunks"},
		} {
			change(c.statement)
			node := fresh()
			for _, employer := range []string{"acme", "somebody else", ""} {
				request := application.DecisionRequest(usecasetest.Parse(b.T, from(employer)))
				decided, err := node.Decisions.Decide(b.Context(), b.Caller, request, nil)
				_, previewErr := node.Decisions.Preview(b.Context(), b.Caller, decisioning.WhatIf{Request: request})
				if employer == "" {
					if err != nil || previewErr != nil || decided.Status != "APPROVED" {
						b.Errorf("%s, no employer: %s, %v, %v", c.name, decided.Status, err, previewErr)
					}
					continue
				}
				if fault.KindOf(err) != fault.Unavailable || fault.CodeOf(err) != fault.CodeUnavailable {
					b.Errorf("%s, decided for %q: %s, %v", c.name, employer, decided.Status, err)
				}
				if fault.KindOf(previewErr) != fault.Unavailable {
					b.Errorf("%s, previewed for %q: %v", c.name, employer, previewErr)
				}
			}
		}
		usage, err := b.Service.Decisions.Usage.Current(b.Context(), b.Caller)
		if err != nil || usage.Used != 2 {
			b.Errorf("%d units, %v; want those of the two applications without an employer", usage.Used, err)
		}
		b.replace("bad_employers", "Acme")
		b.clock.Pass(time.Second)
		if _, answer := b.explained(b.Decided(b.T, from("acme"))); answer["status"] != "DECLINED" {
			b.Errorf("after the list was replaced: %v", answer["status"])
		}
	})
}

// TestOtherNodeSeesAChange checks that a node sees within a second that another node has replaced a list.
func TestOtherNodeSeesAChange(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		if b.db.Kind() == "sqlite" { // only one process may open a SQLite database
			return
		}
		b.replace("bad_employers", "Acme")
		b.activate(inBad)
		other, err := usecase.New(storetest.Open(b.T, b.url, store.Options{}), usecase.Options{
			Now: b.clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		})
		if err != nil {
			b.Fatal(err)
		}
		status := func() string {
			decided, err := other.Decisions.Decide(b.Context(), b.Caller,
				application.DecisionRequest(usecasetest.Parse(b.T, from("acme"))), nil)
			if err != nil {
				b.Fatal(err)
			}
			return decided.Status
		}
		if got := status(); got != "DECLINED" {
			b.Errorf("before: %s", got)
		}
		b.replace("bad_employers", "Globex")
		b.clock.Pass(time.Second)
		if got := status(); got != "APPROVED" {
			b.Errorf("a second later: %s", got)
		}
	})
}
