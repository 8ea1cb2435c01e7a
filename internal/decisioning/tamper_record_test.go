package decisioning_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// recordCase is a table, other than the tables of decisions, whose rows have entries in the journal.
type recordCase struct {
	table string
	// make stores rows and returns one or two of them.
	make func(t *testing.T, h *usecasetest.House, scope *store.Scope) []recordRow
	// keys are the columns that are not altered, because they select the row or may have
	// only a few values.
	keys []string
	// exchanged are the columns that are exchanged between the rows.
	exchanged []string
	// also, if set, is a prefix of ids. In addition to the row, verify may name objects whose ids begin with it.
	also string
	// other has further changes of the last row, each with the change that undoes it.
	other [][2]string
}

// recordRow is a row, with the id that verify names.
type recordRow struct{ id, where string }

func recordCases() []recordCase {
	return []recordCase{
		{
			table: "decision_reviews", make: makeReviews, keys: []string{"id"},
			exchanged: []string{"outcome", "note"},
		},
		{
			table: "rule_sets", make: makeRuleSets, keys: []string{"id", "status"},
			exchanged: []string{"document", "notes", "activated_by"},
			other: [][2]string{
				{"status = 'retired', retired_micros = 7000", "status = 'active', retired_micros = 0"},
				{"status = 'draft'", "status = 'active'"},
			},
		},
		{table: "fraud_configs", make: makeFraudConfig, keys: []string{"name"}},
		{
			table: "collections_strategies", make: versioned("collections_strategy", putStrategy),
			keys: []string{"version"}, exchanged: []string{"document", "updated_by"},
		},
		{
			table: "lender_profiles", make: versioned("lender_profile", putLenderProfile), keys: []string{"version"},
			exchanged: []string{"document", "updated_by"},
		},
		{
			table: "scorecards", make: makeScorecards, keys: []string{"id"},
			exchanged: []string{"document", "created_by"},
		},
		{
			table: "lists", make: makeLists, keys: []string{"id", "name", "type"},
			exchanged: []string{"directory", "version", "leaf"},
			other:     [][2]string{{"type = 'number'", "type = 'text'"}, {"name = 'other'", "name = 'second'"}},
		},
		{
			table: "list_chunks", make: makeListChunks, keys: []string{"list_id", "id", "created_micros"},
			exchanged: []string{"keys", "entry_values"},
		},
		{
			table: "lookup_tables", make: makeTables, keys: []string{"id", "name"},
			exchanged: []string{"rows_count", "version", "leaf"},
			other:     [][2]string{{"name = 'other'", "name = 'second'"}},
		},
		{
			table: "lookup_table_documents", make: makeTableDocuments, keys: []string{"table_id", "version"},
			exchanged: []string{"document"},
		},
		{
			table: "exposures", make: makeExposures, keys: []string{"id"},
			exchanged: []string{"document", "updated_by", "leaf"},
			other: [][2]string{
				{"closed_micros = 9000", "closed_micros = 0"},
				{"decision_id = ''", "decision_id = 'dec_2'"},
			},
		},
		{
			table: "api_keys", make: makeKeys, keys: []string{"id", "last_used_micros"},
			exchanged: []string{"name", "scopes", "prefix"},
			other: [][2]string{
				{"expires_micros = 0", "expires_micros = 2300000000000000"},
				{"revoked_micros = 0", "revoked_micros = 2200000000000000"},
			},
		},
		{
			// The reference of the person is not in the entry.
			table: "legal_holds", make: makeHolds, keys: []string{"id", "applicant_ref"},
			exchanged: []string{"reason", "actor"},
			other: [][2]string{
				{"released_micros = 0, released_by = ''", "released_micros = 5000, released_by = 'usr_9'"},
			},
		},
		{
			table: "erasures", make: makeErasures,
			// The state is not altered, because the column accepts only a few texts. The last columns are not
			// altered, because they are not part of the evidence: the progress of an erasure that waits or runs,
			// and the hash of the request.
			keys: []string{
				"id", "state", "applicant_ref", "trees", "basis", "deferred_until_micros", "next_micros",
				"withdrawn_micros", "withdrawn_by", "request_key",
			},
			exchanged: []string{"refs"},
			also:      "dec_", // decisions then have empty documents without an erasure
			other:     [][2]string{{"state = 'running'", "state = 'completed'"}},
		},
		{
			table: "retention_settings", make: versioned("retention", putRetention), keys: []string{"version"},
			exchanged: []string{"document"},
		},
		{
			table: "fraud_entities", make: makeBlocklist,
			// Columns that change with every decision about the entity have no entry in the journal.
			keys: []string{
				"block_id", "first_micros", "last_micros", "muted_micros", "ring_id", "tied_micros",
			},
			exchanged: []string{"display", "blocked_by", "blocked_reason", "blocked_leaf"},
			other:     [][2]string{{"blocked_micros = 0", "blocked_micros = 6000"}}, // as if removed from the list
		},
		{
			table: "fraud_pincode_risks", make: makePincodes, keys: []string{"pincode"},
			exchanged: []string{"reason", "score"},
		},
	}
}

// TestVerifyNamesTamperedRecords alters each column of each kind of row, exchanges two rows,
// deletes one and inserts one. Verify must name the row each time, and find nothing when the
// change is undone.
func TestVerifyNamesTamperedRecords(t *testing.T) {
	t.Parallel()
	for _, c := range recordCases() {
		t.Run(c.table, func(t *testing.T) {
			t.Parallel()
			storetest.EachURL(t, c.run)
		})
	}
}

func (c *recordCase) run(t *testing.T, databaseURL string) {
	t.Helper()
	db := storetest.Open(t, databaseURL, store.Options{})
	// The clock is later than the migrations of the database, so that no row is from before them.
	later := time.Date(2040, time.January, 2, 9, 0, 0, 0, time.UTC)
	h := usecasetest.Open(t, db, usecase.Options{Now: func() time.Time { return later }})
	// From now on no row may lack an entry.
	if _, err := h.Service.Decisions.Audit.Backfill(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	rows := c.make(t, h, db.Scope(h.Caller.TenantID, string(h.Caller.Environment)))
	last := rows[len(rows)-1]
	verify := func(change string) []string {
		t.Helper()
		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		var named []string
		for _, w := range found.Wrong {
			if c.also == "" || !strings.HasPrefix(w.ID, c.also) {
				named = append(named, w.ID)
			}
		}
		return named
	}
	want := func(change string, ids ...string) {
		t.Helper()
		named := verify(change)
		slices.Sort(ids)
		if ids = slices.Compact(ids); strings.Join(named, " ") != strings.Join(ids, " ") {
			t.Errorf("%s: verify names %q, want %q", change, named, ids)
		}
	}
	want("nothing")
	i := intrude(t, databaseURL, db.Kind())
	for column, kind := range i.columns(c.table) {
		if column == "tenant_id" || column == "environment" || slices.Contains(c.keys, column) {
			continue
		}
		there, back := i.altered(column, kind)
		set := "UPDATE " + c.table + " SET " + column + " = %s WHERE " + last.where
		i.do(fmt.Sprintf(set, there))
		want("altered "+column, last.id)
		i.do(fmt.Sprintf(set, back))
		want("restored " + column)
	}
	for _, column := range c.exchanged {
		i.exchange(c.table, column, rows)
		want("exchanged "+column, rows[0].id, rows[1].id)
		i.exchange(c.table, column, rows)
		want("exchanged back " + column)
	}
	for _, change := range c.other {
		i.do("UPDATE " + c.table + " SET " + change[0] + " WHERE " + last.where)
		want(change[0], last.id)
		i.do("UPDATE " + c.table + " SET " + change[1] + " WHERE " + last.where)
		want(change[1])
	}
	i.do("CREATE TABLE copied AS SELECT * FROM "+c.table+" WHERE "+last.where,
		"DELETE FROM "+c.table+" WHERE "+last.where)
	want("deleted", last.id)
	i.do("INSERT INTO " + c.table + " SELECT * FROM copied")
	want("inserted again")
}

// exchange exchanges a column between two rows.
func (i *intruder) exchange(table, column string, rows []recordRow) {
	i.t.Helper()
	i.do("CREATE TABLE first_row AS SELECT "+column+" AS x FROM "+table+" WHERE "+rows[0].where,
		"CREATE TABLE second_row AS SELECT "+column+" AS x FROM "+table+" WHERE "+rows[1].where,
		"UPDATE "+table+" SET "+column+" = (SELECT x FROM second_row) WHERE "+rows[0].where,
		"UPDATE "+table+" SET "+column+" = (SELECT x FROM first_row) WHERE "+rows[1].where,
		"DROP TABLE first_row", "DROP TABLE second_row")
}
