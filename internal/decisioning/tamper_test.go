package decisioning_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// intruder changes rows directly in the database, as the owner of the database can.
type intruder struct {
	t    *testing.T
	raw  *sql.DB
	kind string
}

// intrude opens the database directly and disables the triggers that protect decisions,
// the journal and the records in the journal from changes.
func intrude(t *testing.T, databaseURL, kind string) *intruder {
	t.Helper()
	i := &intruder{t, storetest.Raw(t, databaseURL), kind}
	for _, table := range []string{
		"decisions", "decision_features", "decision_people", "journal", "decision_reviews", "rule_sets",
		"collections_strategies", "fraud_entities", "lender_profiles", "exposures", "retention_settings",
		"legal_holds", "erasures",
	} {
		if kind == "postgres" {
			i.do("ALTER TABLE " + table + " DISABLE TRIGGER USER")
			continue
		}
		for _, trigger := range i.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '" +
			table + "'") {
			i.do("DROP TRIGGER " + trigger)
		}
	}
	return i
}

// asSystem lets a transaction on PostgreSQL see the rows of all tenants.
const asSystem = "SELECT set_config('verdict.role', 'system', true)"

// texts returns the first column of a query.
func (i *intruder) texts(query string) (found []string) {
	i.t.Helper()
	tx, err := i.raw.BeginTx(i.t.Context(), nil)
	if err != nil {
		i.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // it only reads
	if i.kind == "postgres" {
		if _, err := tx.ExecContext(i.t.Context(), asSystem); err != nil {
			i.t.Fatal(err)
		}
	}
	rows, err := tx.QueryContext(i.t.Context(), query)
	if err != nil {
		i.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			i.t.Fatal(err)
		}
		found = append(found, text)
	}
	if err := rows.Err(); err != nil {
		i.t.Fatal(err)
	}
	return found
}

func (i *intruder) do(statements ...string) {
	i.t.Helper()
	tx, err := i.raw.BeginTx(i.t.Context(), nil)
	if err != nil {
		i.t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // a no-op once committed
	if i.kind == "postgres" {
		statements = append([]string{asSystem}, statements...)
	}
	for _, s := range statements {
		if _, err := tx.ExecContext(i.t.Context(), s); err != nil {
			i.t.Fatalf("%s: %v", s, err)
		}
	}
	if err := tx.Commit(); err != nil {
		i.t.Fatal(err)
	}
}

// columns returns the columns of a table with their types.
func (i *intruder) columns(table string) map[string]string {
	i.t.Helper()
	query := "SELECT name, lower(type) FROM pragma_table_info('" + table + "')"
	if i.kind == "postgres" {
		query = "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = '" + table + "'"
	}
	rows, err := i.raw.QueryContext(i.t.Context(), query)
	if err != nil {
		i.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	found := map[string]string{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			i.t.Fatal(err)
		}
		found[name] = kind
	}
	if err := rows.Err(); err != nil || len(found) == 0 {
		i.t.Fatalf("%s has the columns %v: %v", table, found, err)
	}
	return found
}

// altered returns an SQL expression that changes a column, and an expression that undoes the change.
func (i *intruder) altered(column, kind string) (there, back string) {
	switch kind {
	case "bigint":
		return column + " + 1000", column + " - 1000"
	case "bytea":
		if i.kind == "postgres" {
			return column + ` || '\x20'::bytea`, "substr(" + column + ", 1, length(" + column + ") - 1)"
		}
		return "CAST(" + column + " || ' ' AS BLOB)",
			"CAST(substr(" + column + ", 1, length(" + column + ") - 1) AS BLOB)"
	default:
		return column + " || 'x'", "substr(" + column + ", 1, length(" + column + ") - 1)"
	}
}

// TestVerifyNamesTampering changes stored decisions directly in the database. It alters every column, exchanges the
// rows of two decisions, deletes a decision, and alters the journal itself. Verify must name the changed decision, or
// find something wrong if the journal is changed. It must find nothing when the change is undone.
func TestVerifyNamesTampering(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		ids := make([]string, 3)
		for i := range ids {
			decided, err := h.Service.Decisions.Decide(t.Context(), h.Caller, decision(t, usecasetest.Sample), nil)
			if err != nil {
				t.Fatal(err)
			}
			ids[i] = decided.ID
		}
		verify := func() decisioning.Verification {
			t.Helper()
			found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
		want := func(change, id string) {
			t.Helper()
			found := verify()
			for _, w := range found.Wrong {
				if w.ID == id {
					return
				}
			}
			t.Errorf("%s: verify finds %+v", change, found)
		}
		clean := func(change string) {
			t.Helper()
			if found := verify(); found.Failed != 0 {
				t.Errorf("%s is undone, and verify finds %+v", change, found)
			}
		}
		clean("nothing")
		i := intrude(t, databaseURL, db.Kind())
		for column, kind := range i.columns("decisions") {
			switch column {
			case "tenant_id", "environment", "id": // a row with another key is another decision
				continue
			}
			there, back := i.altered(column, kind)
			set := "UPDATE decisions SET " + column + " = %s WHERE id = '" + ids[1] + "'"
			i.do(fmt.Sprintf(set, there))
			want(column, ids[1])
			i.do(fmt.Sprintf(set, back))
			clean(column)
		}

		id := "UPDATE decisions SET id = '%s' WHERE id = '%s'"
		exchange := func() {
			i.do(fmt.Sprintf(id, "dec_x", ids[0]), fmt.Sprintf(id, ids[0], ids[1]), fmt.Sprintf(id, ids[1], "dec_x"))
		}
		exchange()
		want("two decisions exchanged", ids[0])
		want("two decisions exchanged", ids[1])
		exchange()
		clean("the exchange")

		i.do("UPDATE decisions SET environment = 'live' WHERE id = '" + ids[2] + "'")
		want("a decision moved to live", ids[2])
		i.do("UPDATE decisions SET environment = 'sandbox' WHERE id = '" + ids[2] + "'")
		clean("the move")

		for _, change := range []string{
			"count = count + 1", "count = 1000000", "created_micros = 0", "first = first + 7",
			"first = 1152921504606846976",
			"entries = substr(entries, 2)", "entries = substr(entries, 1, 40)",
		} {
			i.do("CREATE TABLE copied AS SELECT * FROM journal",
				"UPDATE journal SET "+change+" WHERE first = (SELECT max(first) FROM journal)")
			found := verify()
			// verify need not find a changed created_micros, because the time that counts is in the leaf.
			if found.Failed == 0 && !strings.HasPrefix(change, "created") {
				t.Errorf("%s: verify finds %+v", change, found)
			}
			i.do("DELETE FROM journal", "INSERT INTO journal SELECT * FROM copied", "DROP TABLE copied")
			clean(change)
		}

		// After Backfill, no decision may lack an entry.
		if _, err := h.Service.Decisions.Audit.Backfill(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		off := "PRAGMA ignore_check_constraints = ON"
		if i.kind == "postgres" {
			off = "ALTER TABLE decisions DROP CONSTRAINT decisions_have_leaf"
		}
		i.do(off, "UPDATE decisions SET leaf = -1000 - leaf WHERE id = '"+ids[2]+"'")
		want("a decision without an entry", ids[2])
		i.do("UPDATE decisions SET leaf = -1000 - leaf WHERE id = '" + ids[2] + "'")
		clean("the decision without an entry")

		i.do("DELETE FROM decisions WHERE id = '" + ids[1] + "'")
		want("a decision deleted", ids[1])
		found := verify()
		if len(found.Wrong) != 1 || !strings.Contains(found.Wrong[0].Why, "is missing") {
			t.Errorf("verify finds %+v", found)
		}
		i.do("DELETE FROM journal")
		want("the journal deleted", ids[0])
	})
}

// TestVerifyNamesOnlyTheMissingEntry deletes one entry of the journal. Verify must name the decision of that entry and
// no other decision.
func TestVerifyNamesOnlyTheMissingEntry(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		ids := make([]string, 5)
		for i := range ids {
			ids[i] = h.Decided(t, usecasetest.Sample)
		}
		i := intrude(t, databaseURL, db.Kind())
		leaf := "(SELECT leaf FROM decisions WHERE id = '" + ids[2] + "')"
		of := " FROM journal WHERE environment = 'sandbox' AND first = " + leaf
		if runs := i.texts("SELECT count" + of); !slices.Equal(runs, []string{"1"}) {
			t.Fatalf("the entry of the decision is not stored in a row of its own: %v", runs)
		}
		i.do("DELETE" + of)
		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		named := false
		for _, w := range found.Wrong {
			named = named || w.ID == ids[2]
			if slices.Contains(ids, w.ID) && w.ID != ids[2] {
				t.Errorf("verify names %s: %s", w.ID, w.Why)
			}
		}
		if !named {
			t.Errorf("verify finds %+v", found)
		}
	})
}

// withFeatures is a request for which a feature vector is stored.
const withFeatures = `{"bureau":"cibil","features":true,"report":{"cibil":{"scoreData":{"score":742},
	"reportDate":"2026-01-10","accounts":[{"accountType":"personal_loan","openDate":"2024-02-11","status":"active",
	"sanctionedAmount":200000,"currentBalance":120000,"emi":6900}]}}}`

// TestVerifyNamesTamperedFeatures changes and removes the stored feature vector of a
// decision. Verify must name the decision each time.
func TestVerifyNamesTamperedFeatures(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		request := application.EvaluateRequest(usecasetest.Parse(t, withFeatures))
		decided, err := h.Service.Decisions.Evaluate(t.Context(), h.Caller, request, nil)
		if err != nil {
			t.Fatal(err)
		}
		i := intrude(t, databaseURL, db.Kind())
		for column, kind := range i.columns("decision_features") {
			switch column {
			case "tenant_id", "environment", "decision_id":
				continue
			}
			there, back := i.altered(column, kind)
			i.do("UPDATE decision_features SET " + column + " = " + there)
			if found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil); err != nil || found.Failed != 1 ||
				found.Wrong[0].ID != decided.ID {
				t.Errorf("%s: verify finds %+v, %v", column, found, err)
			}
			i.do("UPDATE decision_features SET " + column + " = " + back)
		}
		i.do("DELETE FROM decision_features")
		if found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil); err != nil || found.Failed != 1 {
			t.Errorf("verify finds %+v, %v", found, err)
		}
	})
}

// withPeople is a request with three people who are named.
const withPeople = `{"applicants":[{"role":"primary","applicant_ref":"P-1","monthly_income":40000,"foir":0.1,
	"requested_amount":300000,"age":40,"employment_type":"SALARIED","bureau_report":{"score":800}},
	{"role":"co_applicant","applicant_ref":"C-1","monthly_income":30000,"foir":0.2,"bureau_report":{"score":790}},
	{"role":"guarantor","id":"G-1","bureau_report":{"score":780}}]}`

// TestVerifyNamesTamperedPeople changes, removes, adds and exchanges the stored people of a decision. Verify must name
// the decision each time, and must find nothing when the change is undone.
func TestVerifyNamesTamperedPeople(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		decided, err := h.Service.Decisions.Decide(t.Context(), h.Caller, decision(t, withPeople), nil)
		if err != nil {
			t.Fatal(err)
		}
		single, err := h.Service.Decisions.Decide(t.Context(), h.Caller, decision(t, usecasetest.Sample), nil)
		if err != nil {
			t.Fatal(err)
		}
		want := func(change string, ids ...string) {
			t.Helper()
			found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
			if err != nil || int(found.Failed) != len(ids) {
				t.Errorf("%s: verify finds %+v, %v", change, found, err)
				return
			}
			for i, id := range ids {
				if found.Wrong[i].ID != id {
					t.Errorf("%s: verify names %s", change, found.Wrong[i].ID)
				}
			}
		}
		want("nothing")
		i := intrude(t, databaseURL, db.Kind())
		const of = " WHERE role = 'co_applicant'"
		for column, kind := range i.columns("decision_people") {
			if column == "tenant_id" || column == "environment" { // the row would belong to another scope
				continue
			}
			there, back := i.altered(column, kind)
			if column == "role" {
				there, back = "'primary'", "'co_applicant'"
			}
			i.do("UPDATE decision_people SET " + column + " = " + there + of)
			want(column, decided.ID)
			where := of
			if column == "role" {
				where = " WHERE role = 'primary'"
			}
			i.do("UPDATE decision_people SET " + column + " = " + back + where)
			want(column + " undone")
		}
		i.do("CREATE TABLE copied AS SELECT * FROM decision_people",
			"UPDATE decision_people SET person_ref = 'x'"+of,
			"UPDATE decision_people SET person_ref = 'C-1' WHERE role = 'guarantor'",
			"UPDATE decision_people SET person_ref = 'G-1'"+of)
		want("two people exchanged", decided.ID)
		i.do("DELETE FROM decision_people", "INSERT INTO decision_people SELECT * FROM copied",
			"UPDATE decision_people SET facts = (SELECT facts FROM copied WHERE copied.role = 'guarantor')"+of)
		want("the facts of somebody else", decided.ID)
		i.do("DELETE FROM decision_people", "INSERT INTO decision_people SELECT * FROM copied"+of)
		want("a person removed", decided.ID)
		i.do("DELETE FROM decision_people", "INSERT INTO decision_people SELECT * FROM copied",
			"UPDATE copied SET decision_id = '"+single.ID+"'", "INSERT INTO decision_people SELECT * FROM copied"+of)
		want("a person added", single.ID)
		i.do("DELETE FROM decision_people WHERE decision_id = '"+single.ID+"'",
			"UPDATE decision_people SET facts = ''"+of)
		want("facts removed without an erasure", decided.ID)
	})
}
