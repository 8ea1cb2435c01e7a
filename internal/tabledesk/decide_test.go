package tabledesk_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tabledesk"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

const (
	// ltvTable has the maximum loan-to-value ratio by pincode and income.
	ltvTable = `{"keys":[{"field":"applicant.pin","match":"exact","type":"text"},
		{"field":"monthly_income","match":"range"}],
		"columns":[{"name":"max_ltv","type":"number"},{"name":"segment","type":"text"},
		{"name":"served","type":"boolean"}],
		"rows":[
			{"keys":["400001",{"lt":50000}],"values":[0.6,"B",true]},
			{"keys":["400001",{"gte":50000,"lt":100000}],"values":[0.8,"A",true]},
			{"keys":[" Fort  Kochi ",{"gte":0}],"values":[0.5,"C",false]}]}`
	ltvHigh = `{"op":"gt","left":{"field":"applicant.ltv"},"right":{"field":"table.ltv.max_ltv"}}`
)

// TestDecideByTable decides with a table, and checks what the decision says about it: the status, the reason, the
// version and the stored facts. Then the table changes, and the decision is still explained in the same way.
func TestDecideByTable(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("ltv", ltvTable)
		b.activate(ltvHigh)
		high := b.Decided(b.T, from(`,"pin":"400001","ltv":0.85`))
		low := b.Decided(b.T, from(`,"pin":"400001","ltv":0.8`))
		normal := b.Decided(b.T, from(`,"pin":"FORT kochi","ltv":0.51`))
		noRow := b.Decided(b.T, from(`,"pin":"999999","ltv":9`))
		noKey := b.Decided(b.T, from(`,"ltv":9`))
		b.replace("ltv", strings.Replace(ltvTable, "0.8", "0.9", 1))
		b.clock.Pass(time.Second)

		for id, want := range map[string]struct{ status, fact, version, tables string }{
			high:   {"DECLINED", "0.8", "1", `[{"name":"ltv","version":1}]`},
			low:    {"APPROVED", "0.8", "1", `[{"name":"ltv","version":1}]`},
			normal: {"DECLINED", "0.5", "1", `[{"name":"ltv","version":1}]`},
			noRow:  {"APPROVED", "absent", "1", `[{"name":"ltv","version":1}]`},
			noKey:  {"APPROVED", "absent", "absent", `null`},
		} {
			shown, answer := b.explained(id)
			if answer["status"] != want.status || !shown.Again.Verified ||
				!equalJSON(b.T, answer["tables"], want.tables) {
				b.Errorf("status %v, verified %v, tables %v, want %v", answer["status"], shown.Again.Verified,
					answer["tables"], want)
			}
			if got := shown.Facts.Get("table.ltv.max_ltv").String(); got != want.fact {
				b.Errorf("the fact is %s, want %s", got, want.fact)
			}
			if got := shown.Facts.Get("table.ltv.segment").String(); got != "absent" {
				b.Errorf("a column that the policy does not read was stored: %s", got)
			}
			if got := shown.Facts.Get("table_version.ltv").String(); got != want.version {
				b.Errorf("the version is %s, want %s", got, want.version)
			}
		}
		shown, _ := b.explained(high)
		if text := strings.Join(shown.Again.Text, "\n"); !strings.Contains(text, "applicant.ltv > table.ltv.max_ltv") {
			b.Errorf("the explanation is %s", text)
		}
		again := b.Decided(b.T, from(`,"pin":"400001","ltv":0.85`))
		if _, answer := b.explained(again); answer["status"] != "APPROVED" ||
			!equalJSON(b.T, answer["tables"], `[{"name":"ltv","version":2}]`) {
			b.Errorf("after the change: %v with %v", answer["status"], answer["tables"])
		}
		report, err := b.Service.Decisions.Audit.Verify(b.Context(), "", nil)
		if err != nil || report.Failed > 0 {
			b.Errorf("verify: %+v, %v", report, err)
		}
	})
}

// TestDefaults checks that a table with a default answers every application that has the keys.
func TestDefaults(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("ltv", strings.Replace(ltvTable, `"rows"`, `"default":[0.4,"D",false],"rows"`, 1))
		b.activate(ltvHigh)
		for members, want := range map[string]string{
			`,"pin":"999999","ltv":0.41`: "DECLINED",
			`,"pin":"999999","ltv":0.4`:  "APPROVED",
			`,"ltv":0.41`:                "APPROVED", // without a key the columns are absent
		} {
			if _, answer := b.explained(b.Decided(b.T, from(members))); answer["status"] != want {
				b.Errorf("%s: %v, want %s", members, answer["status"], want)
			}
		}
	})
}

// TestTablesThatAreMissing checks the refusals of drafts, activations, previews, replacements and deletions.
func TestTablesThatAreMissing(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		_, err := b.draft(ltvHigh)
		if got := usecasetest.Pointers(b.T, err); usecasetest.CodeOf(err) != fault.CodeUnknownTable ||
			got[0] != "/patch/knockouts/set/0/condition_ast/right/field" {
			b.Errorf("an unknown table: %v at %v", err, got)
		}
		b.replace("ltv", ltvTable)
		_, err = b.draft(strings.Replace(ltvHigh, "max_ltv", "min_ltv", 1))
		if usecasetest.CodeOf(err) != fault.CodeUnknownTable {
			b.Errorf("an unknown column: %v", err)
		}
		_, err = b.draft(`{"op":"in_list","field":"table.ltv.segment","list":"words"}`)
		if usecasetest.CodeOf(err) != fault.CodeInvalidCondition {
			b.Errorf("a column was looked up in a list: %v", err)
		}
		set, err := b.draft(ltvHigh)
		if err != nil {
			b.Fatal(err)
		}
		b.replace("ltv", strings.NewReplacer(`"max_ltv"`, `"least_ltv"`).Replace(ltvTable))
		activate := func(id string) error {
			_, err := b.Service.Policies.Activate(b.Context(), b.Caller, id, policydesk.Activation{}, nil)
			return err
		}
		remove := func() error { return b.Service.Tables.Delete(b.Context(), b.Caller, "ltv", operation.AnyVersion) }
		if err := activate(set.ID); usecasetest.CodeOf(err) != fault.CodeTableMissing {
			b.Errorf("activated without its column: %v", err)
		}
		if err := remove(); err != nil {
			b.Fatal(err)
		}
		if err := activate(set.ID); usecasetest.CodeOf(err) != fault.CodeTableMissing {
			b.Errorf("activated without its table: %v", err)
		}
		b.clock.Pass(time.Second)
		preview := decisioning.WhatIf{
			Request:   application.DecisionRequest(usecasetest.Parse(b.T, from(`,"pin":"400001","ltv":1`))),
			RuleSetID: set.ID,
		}
		if _, err = b.Service.Decisions.Preview(b.Context(), b.Caller, preview); usecasetest.CodeOf(err) !=
			fault.CodeTableMissing {
			b.Errorf("previewed without its table: %v", err)
		}

		b.replace("ltv", ltvTable)
		if err := activate(set.ID); err != nil {
			b.Fatal(err)
		}
		if err := remove(); usecasetest.CodeOf(err) != fault.CodeTableInUse {
			b.Errorf("a table in use was deleted: %v", err)
		}
		for _, change := range [][2]string{
			{`{"name":"served","type":"boolean"}`, `{"name":"served","type":"text"}`},
			{`"max_ltv"`, `"least_ltv"`},
			{`"match":"range"`, `"match":"exact"`},
		} {
			u := upload(b.T, "ltv", strings.Replace(ltvTable, change[0], change[1], 1))
			u.Rows = nil
			_, err := b.Service.Tables.Replace(b.Context(), b.Caller, "ltv", u, operation.AnyVersion)
			if usecasetest.CodeOf(err) != fault.CodeTableInUse {
				b.Errorf("%v was replaced by %v: %v", change[0], change[1], err)
			}
		}
		b.activate(`{"op":"false"}`)
		if err := remove(); usecasetest.CodeOf(err) != fault.CodeTableInUse {
			b.Errorf("a table of the previous rule set was deleted: %v", err)
		}
		if err := activate(set.ID); err != nil {
			b.Errorf("the rollback failed: %v", err)
		}
		b.activate(`{"op":"false"}`)
		b.activate(`{"op":"not","arg":{"op":"true"}}`)
		if err := remove(); err != nil {
			b.Errorf("a table that nothing needs was not deleted: %v", err)
		}
	})
}

// versionTable returns a table of many rows, whose columns both say whether the version is even.
func versionTable(even bool) string {
	var rows strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&rows, `{"keys":["%d"],"values":[%v,%v]},`, 400_000+i, even, even)
	}
	return `{"keys":[{"field":"applicant.pin","type":"text"}],"columns":[{"name":"first","type":"boolean"},
		{"name":"second","type":"boolean"}],"default":[` + fmt.Sprint(even, ",", even) + `],
		"rows":[` + strings.TrimSuffix(rows.String(), ",") + `]}`
}

// TestReplacedWhileDeciding replaces a table of many rows again and again while decisions are made on two nodes, some
// by a row and some by the default. Every decision names one version, and both columns must be of this version.
func TestReplacedWhileDeciding(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.replace("versions", versionTable(false))
		b.activate(`{"op":"and","args":[{"op":"eq","field":"table.versions.first","value":true},
			{"op":"eq","field":"table.versions.second","value":true}]}`)
		other, err := usecase.New(storetest.Open(b.T, b.url, store.Options{}), usecase.Options{
			Now: b.clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		})
		if b.db.Kind() == "sqlite" { // SQLite has only one process
			other, err = b.Service, nil
		}
		if err != nil {
			b.Fatal(err)
		}
		requests := []application.Request{
			application.DecisionRequest(usecasetest.Parse(b.T, from(`,"pin":"400001"`))),
			application.DecisionRequest(usecasetest.Parse(b.T, from(`,"pin":"999999"`))), // by the default
		}
		first, err := b.Service.Decisions.Decide(b.Context(), b.Caller, requests[0], nil) // with the first version
		if err != nil {
			b.Fatal(err)
		}
		ids := []string{first.ID}
		uploads := []tabledesk.Upload{
			upload(b.T, "versions", versionTable(true)), upload(b.T, "versions", versionTable(false)),
		}
		done := make(chan struct{})
		var all sync.WaitGroup
		all.Go(func() {
			defer close(done)
			for i := range 20 {
				_, err := b.Service.Tables.Replace(b.Context(), b.Caller, "versions", uploads[i%2],
					operation.AnyVersion)
				if err != nil {
					b.Error(err)
					return
				}
				b.clock.Pass(300 * time.Millisecond)
			}
		})
		var mu sync.Mutex
		for _, node := range []*usecase.Set{b.Service, other} {
			all.Go(func() {
				running := true
				for i := 0; running; i++ {
					select {
					case <-done:
						running = false
					default:
					}
					decided, err := node.Decisions.Decide(b.Context(), b.Caller, requests[i%2], nil)
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
			version := shown.Facts.Get(rule.TableVersionFact("versions")).Number().Floor()
			even := rule.Bool(version%2 == 0)
			a, z := shown.Facts.Get("table.versions.first"), shown.Facts.Get("table.versions.second")
			if versions[version] = true; a != even || z != even || !shown.Again.Verified {
				b.Errorf("decision %s: version %d with %v and %v, verified %v", id, version, a, z,
					shown.Again.Verified)
			}
		}
		if len(versions) < 2 {
			b.Errorf("only versions %v were seen", versions)
		}
	})
}

// TestDefinitionReplaced replaces the definition of a table while a file for it arrives. If the rows of the file
// were read with the old definition, the file is refused, so the new definition stays.
func TestDefinitionReplaced(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		const before = `{"keys":[{"field":"applicant.pin","type":"text"}],"columns":[{"name":"limit","type":"number"}],
			"rows":[]}`
		const after = `{"keys":[{"field":"applicant.pin","type":"text"}],"columns":[{"name":"limit","type":"number"},
			{"name":"segment","type":"text"}],"rows":[{"keys":["400001"],"values":[5,"a"]}]}`
		b.replace("limits", before)
		for _, c := range []struct {
			meanwhile string
			code      string
		}{{before, ""}, {after, fault.CodePreconditionFailed}} {
			file := io.MultiReader(&once{do: func() { b.replace("limits", c.meanwhile) }},
				strings.NewReader("applicant.pin,limit\n400001,7\n"))
			_, err := b.Service.Tables.Replace(b.Context(), b.Caller, "limits", tabledesk.Upload{CSV: file},
				operation.AnyVersion)
			if fault.CodeOf(err) != c.code {
				b.Errorf("the file is answered with %v, want %q", err, c.code)
			}
		}
		found, err := b.Service.Tables.Table(b.Context(), b.Caller, "limits")
		if err != nil || len(found.Definition.Columns) != 2 {
			b.Errorf("the table is %+v, %v", found, err)
		}
	})
}

// once is an empty reader that calls a function when it is read.
type once struct{ do func() }

func (o *once) Read([]byte) (int, error) {
	o.do()
	return 0, io.EOF
}
