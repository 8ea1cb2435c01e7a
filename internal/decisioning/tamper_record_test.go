package decisioning_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// recordCase is a table whose rows have entries in the journal, besides decisions.
type recordCase struct {
	table string
	// make stores rows and returns two of them, or one.
	make func(t *testing.T, h *usecasetest.House, scope *store.Scope) []recordRow
	// keys are the columns that are not altered, because they select the row or may have
	// only a few values.
	keys []string
	// exchanged are the columns that are exchanged between the rows.
	exchanged []string
	// also begins the ids of other objects that verify may name too.
	also string
	// other are further changes of the last row, each with what undoes it.
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
			table: "collections_strategies", make: makeStrategies, keys: []string{"version"},
			exchanged: []string{"document", "updated_by"},
		},
		{
			table: "lender_profiles", make: makeLenderProfiles, keys: []string{"version"},
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
			// The state cannot have another text, and the last columns are not part of the evidence: how far an erasure
			// that waits or runs is, and the hash of the request.
			keys: []string{
				"id", "state", "applicant_ref", "trees", "basis", "deferred_until_micros", "next_micros", "withdrawn_micros",
				"withdrawn_by", "request_key",
			},
			exchanged: []string{"refs"},
			also:      "dec_", // documents are empty without an erasure
			other:     [][2]string{{"state = 'running'", "state = 'completed'"}},
		},
		{table: "retention_settings", make: makeRetention, keys: []string{"version"}, exchanged: []string{"document"}},
		{
			table: "fraud_entities", make: makeBlocklist,
			// What changes with every decision about the entity has no entry.
			keys: []string{
				"block_id", "first_micros", "last_micros", "muted_micros", "ring_id", "tied_micros",
			},
			exchanged: []string{"display", "blocked_by", "blocked_reason", "blocked_leaf"},
			other:     [][2]string{{"blocked_micros = 0", "blocked_micros = 6000"}}, // removed from the list
		},
		{
			table: "fraud_pincode_risks", make: makePincodes, keys: []string{"pincode"},
			exchanged: []string{"reason", "score"},
		},
	}
}

// write stores rows in one transaction.
func write(t *testing.T, scope *store.Scope, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := scope.Write(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// makeRuleSets saves two rule sets and activates both in turn. It also deletes a draft.
func makeRuleSets(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for i, id := range []string{"pol_1", "pol_2", "pol_3"} {
		write(t, scope, func(tx *store.Tx) error {
			_, err := tx.RuleSets().Insert(store.RuleSet{
				ID: id, PolicyKey: "cards", Name: "Name of " + id, Notes: "Notes on " + id, Document: []byte(id),
				Checksum: "sha256:" + id, CreatedMicros: 1_000, CreatedBy: "key_1",
			})
			return err
		})
		if id == "pol_3" {
			write(t, scope, func(tx *store.Tx) error {
				_, archived, err := tx.RuleSets().RemoveDraft(id, 3_000)
				if archived {
					t.Error("the draft is archived")
				}
				return err
			})
			continue
		}
		rows = append(rows, recordRow{id, "id = '" + id + "'"})
		write(t, scope, func(tx *store.Tx) error {
			_, err := tx.RuleSets().Activate(store.Activation{
				ID: id, NowMicros: 2_000, Actor: fmt.Sprint("usr_", i), Audit: store.AuditEntry{ID: "aud_" + id},
			})
			return err
		})
	}
	return rows
}

func makeFraudConfig(t *testing.T, _ *usecasetest.House, scope *store.Scope) []recordRow {
	t.Helper()
	for _, document := range []string{`{"a":1}`, `{"a":2}`} {
		write(t, scope, func(tx *store.Tx) error {
			_, err := tx.FraudConfigs().Put(store.FraudConfig{
				Document: []byte(document), Accounts: []byte("accounts"), UpdatedMicros: 5_000, UpdatedBy: "key_1",
			}, -1)
			return err
		})
	}
	return []recordRow{{"fraud_config/2", "name = 'fraud'"}}
}

func makeStrategies(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for i := range 2 {
		write(t, scope, func(tx *store.Tx) error {
			s, err := tx.Strategies().Put(store.Strategy{
				Document: fmt.Append(nil, "document ", i), UpdatedMicros: 5_000, UpdatedBy: fmt.Sprint("usr_", i),
			}, -1)
			rows = append(rows, recordRow{
				fmt.Sprint("collections_strategy/", s.Version), fmt.Sprint("version = ", s.Version),
			})
			return err
		})
	}
	return rows
}

func makeLenderProfiles(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for i := range 2 {
		write(t, scope, func(tx *store.Tx) error {
			p, err := tx.LenderProfiles().Put(store.LenderProfile{
				Document: fmt.Append(nil, "document ", i), UpdatedMicros: 5_000, UpdatedBy: fmt.Sprint("usr_", i),
			}, -1)
			rows = append(rows, recordRow{fmt.Sprint("lender_profile/", p.Version), fmt.Sprint("version = ", p.Version)})
			return err
		})
	}
	return rows
}

func makeScorecards(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for _, id := range []string{"crd_1", "crd_2"} {
		write(t, scope, func(tx *store.Tx) error {
			_, err := tx.Scorecards().Insert(store.Scorecard{
				ID: id, Name: "Name of " + id, Document: []byte(id), Checksum: "sha256:" + id, CreatedMicros: 1_000,
				CreatedBy: "key of " + id,
			})
			return err
		})
		rows = append(rows, recordRow{id, "id = '" + id + "'"})
	}
	return rows
}

// makeLists creates two lists, the second in two versions, and a third that is deleted.
func makeLists(t *testing.T, h *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for _, name := range []string{"first", "second", "second", "third"} {
		_, err := h.Service.Lists.Replace(t.Context(), h.Caller, name, listdesk.Upload{
			Type: list.Text, Entries: []listdesk.NewEntry{{Value: "Acme " + name}},
		}, operation.AnyVersion)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Service.Lists.Delete(t.Context(), h.Caller, "third", operation.AnyVersion); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"first", "second"} {
		stored, err := scope.Lists(t.Context()).Get(name)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, recordRow{stored.ID, "id = '" + stored.ID + "'"})
	}
	return rows
}

// makeListChunks creates the same lists as makeLists, each of which has one chunk.
func makeListChunks(t *testing.T, h *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for _, row := range makeLists(t, h, scope) {
		rows = append(rows, recordRow{row.id, "list_id = '" + row.id + "'"})
	}
	return rows
}

// makeTables creates two tables, the second in two versions, and a third that is deleted.
func makeTables(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	caps := store.TableCaps{Tables: 10, Rows: 100, Bytes: 1000}
	versions := map[string]int64{}
	for i, name := range []string{"first", "second", "second", "third"} {
		write(t, scope, func(tx *store.Tx) error {
			put := store.Table{
				Name: name, ID: "tbl_" + name, Rows: int64(i) + 1, Bytes: 5, Definition: "definition of " + name,
				CreatedMicros: 1_000, CreatedBy: "key_1", UpdatedMicros: 2_000, UpdatedBy: "key_2",
			}
			_, err := tx.Tables().Put(put, fmt.Append(nil, "rows ", i), versions[name], caps,
				func(store.Table) error { return nil })
			versions[name]++
			return err
		})
	}
	write(t, scope, func(tx *store.Tx) error { _, err := tx.Tables().Delete("third", "key_3", 3_000); return err })
	return []recordRow{{"tbl_first", "id = 'tbl_first'"}, {"tbl_second", "id = 'tbl_second'"}}
}

// makeTableDocuments creates the same tables as makeTables, each of which has one document.
func makeTableDocuments(t *testing.T, h *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for _, row := range makeTables(t, h, scope) {
		rows = append(rows, recordRow{row.id, "table_id = '" + row.id + "'"})
	}
	return rows
}

// makeExposures reports two loans, the second twice, and two that are deleted: one with its person, and one at the end of
// its retention period.
func makeExposures(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for i, id := range []string{"exp_1", "exp_2", "exp_2", "exp_3", "exp_4"} {
		write(t, scope, func(tx *store.Tx) error {
			e := store.Exposure{
				ID: id, ApplicantRef: "P-" + id, DecisionID: "dec_" + id[len("exp_"):],
				Document:      fmt.Append(nil, "loan ", i),
				CreatedMicros: 1_000, CreatedBy: "key_1", UpdatedMicros: 2_000, UpdatedBy: fmt.Sprint("key_", i),
			}
			if id == "exp_4" {
				e.ClosedMicros = 2_000
			}
			return tx.Exposures().Put(&e, 0)
		})
	}
	write(t, scope, func(tx *store.Tx) error {
		deleted, err := tx.Retention().DeleteClosedLoans([]string{"exp_1", "exp_4"}, 3_000)
		if deleted != 1 {
			t.Errorf("%d closed loans were deleted", deleted)
		}
		return errors.Join(err, tx.Erasures().DeleteExposure("exp_3", 3_000, &store.ErasedCounts{}))
	})
	return []recordRow{{"exp_1", "id = 'exp_1'"}, {"exp_2", "id = 'exp_2'"}}
}

// makeBlocklist blocks two entities, the second after it was removed from the list, and a third
// that is removed.
func makeBlocklist(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for i, key := range []string{"first", "second", "second", "third"} {
		write(t, scope, func(tx *store.Tx) error {
			b, _, err := tx.Blocklist().Block(store.BlockedEntity{
				Entity:        store.ObservedEntity{Kind: "device", Key: key, Display: "ends in " + key},
				BlockedMicros: 6_000,
				BlockedBy:     "user of " + key,
				AlertID:       "alr_1",
				Reason:        "reason of " + key,
				UntilMicros:   900_000_000,
			})
			if row := (recordRow{b.ID, "block_id = '" + b.ID + "'"}); i == 0 || i == 2 {
				rows = append(rows, row)
				return err
			}
			return errors.Join(err, tx.Blocklist().Unblock("device", key, "usr_1", 7_000))
		})
	}
	return rows
}

func makePincodes(t *testing.T, _ *usecasetest.House, scope *store.Scope) []recordRow {
	t.Helper()
	write(t, scope, func(tx *store.Tx) error {
		err := tx.PincodeRisks().Put([]store.PincodeRisk{
			{Pincode: "400001", Risk: "HIGH", Score: 80, Reason: "floods", UpdatedMicros: 5_000, UpdatedBy: "key_1"},
			{Pincode: "400002", Risk: "LOW", Score: 10, Reason: "none", UpdatedMicros: 5_000, UpdatedBy: "key_2"},
		})
		return errors.Join(err, tx.PincodeRisks().Log("key_1", 5_000))
	})
	return []recordRow{{store.ConfigPincodes, "pincode = '400001'"}, {store.ConfigPincodes, "pincode = '400002'"}}
}

func makeReviews(t *testing.T, h *usecasetest.House, _ *store.Scope) (rows []recordRow) {
	t.Helper()
	for _, outcome := range []string{"upheld", "overturned"} {
		id := h.Decided(t, usecasetest.Sample)
		review, err := h.Service.Decisions.ReviewDecision(t.Context(), h.Caller, id,
			decisioning.NewReview{Outcome: outcome, ReasonCode: "INCOME_SEEN", Note: "Payslips of " + outcome}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, recordRow{review.ID, "id = '" + review.ID + "'"})
	}
	return rows
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
	if _, err := h.Service.Decisions.Backfill(t.Context(), nil); err != nil { // from now on no row may lack an entry
		t.Fatal(err)
	}
	rows := c.make(t, h, db.Scope(h.Caller.TenantID, string(h.Caller.Environment)))
	last := rows[len(rows)-1]
	verify := func(change string) []string {
		t.Helper()
		found, err := h.Service.Decisions.Verify(t.Context(), "", nil)
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
