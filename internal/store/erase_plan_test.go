package store_test

import (
	"database/sql"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// heldTables are the tables with data about people. Their sizes grow with the number of applications.
var heldTables = []string{
	"decisions", "decision_people", "decision_features", "decision_reviews", "idempotency_keys", "agent_runs",
	"exposures", "fraud_links", "fraud_ring_people", "fraud_alerts", "fraud_alert_evidence", "legal_holds",
}

// eachOf is the part of an INSERT statement that makes the statement insert 20,000 rows.
const eachOf = ` WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 20000) SELECT `

const manyVectors = `INSERT INTO decision_features (tenant_id, environment, decision_id, as_of, hash, vector, source)` +
	eachOf + `'ten_1', 'sandbox', 'dec_' || (100000 + i), '2026-11-15', 'h', 'v', 's' FROM numbers`

// manyPeople inserts a co-applicant for each of 20,000 decisions.
const manyPeople = `INSERT INTO decision_people (tenant_id, environment, decision_id, role, person_ref, facts)` +
	eachOf + `'ten_1', 'sandbox', 'dec_' || (100000 + i), 'co_applicant', 'app-' || (i + 1), '' FROM numbers`

// manyHeld inserts rows of 20,000 people into heldTables.
var manyHeld = []string{
	manyDecisions, manyExposures, manyVectors, manyPeople,
	`INSERT INTO decision_reviews (tenant_id, environment, id, decision_id, created_micros, actor, outcome, reason_code,
		note, leaf, salt)` + eachOf +
		`'ten_1', 'sandbox', 'rev_' || i, 'dec_' || (100000 + i), i, 'usr_1', 'overturned', 'c', '', i, ''
			FROM numbers`,
	`INSERT INTO idempotency_keys (tenant_id, environment, route, name, request_hash, status, header, body,
		created_micros, expires_micros, subject)` + eachOf +
		`'ten_1', 'sandbox', 'r', 'n' || i, 'h', 200, '', 'b', i, i, 'dec_' || (100000 + i) FROM numbers`,
	`INSERT INTO agent_runs (tenant_id, environment, id, agent, created_micros, actor, subject_ref, decision_id,
		outcome,
		hash, request, response)` + eachOf +
		`'ten_1', 'sandbox', 'run_' || i, 'underwriting', i, 'key_1', 'app-' || i, 'dec_' || (100000 + i), 'o', 'h',
			'r', 'r'
		FROM numbers`,
	`INSERT INTO fraud_links (tenant_id, environment, member, kind, entity_key, first_micros, previous_micros,
		last_micros,
		decision_id)` + eachOf +
		`'ten_1', 'sandbox', 'app-' || i, 'mobile', 'e' || i, i, i, i, 'dec_' || (100000 + i) FROM numbers`,
	`INSERT INTO fraud_ring_people (tenant_id, environment, person, ring_id, seen_micros, decision_id)` + eachOf +
		`'ten_1', 'sandbox', 'app-' || i, 'ring_' || (i % 100), i, 'dec_' || (100000 + i) FROM numbers`,
	`INSERT INTO fraud_alerts (tenant_id, environment, id, type, severity, status, kind, entity_key, display, value,
		threshold, window_hours, applicants, decisions, first_micros, last_micros, acknowledged_micros, acknowledged_by,
		closed_micros, closed_by, resolution, note, previous_id, created_micros, updated_micros)` + eachOf +
		`'ten_1', 'sandbox', 'alr_' || i, 't', 1, CASE WHEN i % 2 = 0 THEN 'open' ELSE 'closed' END, 'mobile',
			'e' || i, 'd',
		1, 1, 1, 1, 1, i, i, 0, '', i, 'usr_1', 'other', '', '', i, i FROM numbers`,
	`INSERT INTO fraud_alert_evidence (tenant_id, environment, alert_id, part, ref, position, seen_micros)` + eachOf +
		`'ten_1', 'sandbox', 'alr_' || i, 'applicant', 'app-' || i, 1, i FROM numbers`,
	`INSERT INTO legal_holds (tenant_id, environment, id, applicant_ref, decision_id, reason, actor, created_micros,
		until_micros, released_micros, released_by)` + eachOf +
		`'ten_1', 'sandbox', 'hld_' || i, 'app-' || i, '', 'audit', 'usr_1', i, 0,
		CASE WHEN i % 2 = 0 THEN 0 ELSE i END, 'usr_1' FROM numbers`,
}

// erasingTexts returns the statements with which a person, or a decision that names nobody, is erased. It calls the
// same methods as an erasure.
func erasingTexts(t *testing.T) []string {
	t.Helper()
	db := storetest.Open(t, storetest.SQLite(t), store.Options{})
	before := db.StatementTexts()
	scope := db.Scope("ten_1", "sandbox")
	for _, p := range []store.Person{{ApplicantRef: "app-7"}, {DecisionID: "dec_100007"}} {
		if _, err := scope.Erasures(t.Context()).Grounds(store.GroundsQuery{Person: p, Alias: "k"}); err != nil {
			t.Fatal(err)
		}
		if _, err := scope.Erasures(t.Context()).Held(p, 101); err != nil {
			t.Fatal(err)
		}
		if _, _, err := scope.Erasures(t.Context()).Open(p); err != nil {
			t.Fatal(err)
		}
		err := scope.Write(t.Context(), func(tx *store.Tx) error {
			var counts store.ErasedCounts
			er := tx.Erasures()
			ref := strings.TrimPrefix(p.ApplicantRef, "app-")
			for _, err := range []error{
				er.EmptyDecision("dec_100007", ref, &counts), er.EmptyRun("run_7", ref, &counts),
				er.DeleteExposure("exp_7", 1, &counts), er.HideMember("app-7", "k", &counts),
				er.EmptyPerson("dec_100007", "co_applicant", "8", &counts),
			} {
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	texts := db.StatementTexts()
	maps.DeleteFunc(texts, func(text string, _ struct{}) bool {
		_, was := before[text]
		return was || !slices.ContainsFunc(heldTables, func(table string) bool { return names(text, table) })
	})
	return slices.Sorted(maps.Keys(texts))
}

// names reports whether a statement reads or changes a table.
func names(text, table string) bool {
	return regexp.MustCompile(`(?i)\b(from|join|update|into)\s+` + table + `\b`).MatchString(text)
}

// TestErasingIsBounded checks that both databases find all data of a person by an index, with the person's reference
// or with an id that was found by the reference. So the cost of an erasure does not depend on the number of other
// people. PostgreSQL must do so with a plan that was made before the parameters were known.
func TestErasingIsBounded(t *testing.T) {
	t.Parallel()
	texts := erasingTexts(t)
	for _, table := range heldTables {
		if !slices.ContainsFunc(texts, func(text string) bool { return names(text, table) }) {
			t.Errorf("no statement about %s was recorded", table)
		}
	}
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		kind := storetest.Open(t, databaseURL, store.Options{}).Kind()
		tx, err := storetest.Raw(t, databaseURL).BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if kind == "sqlite" {
			execAll(t, tx, manyHeld...)
			for _, text := range texts {
				wantSearches(t, tx, text)
			}
			return
		}
		execAll(t, tx, "SELECT set_config('verdict.role', 'system', true)",
			"SET LOCAL plan_cache_mode = force_generic_plan")
		execAll(t, tx, manyHeld...)
		execAll(t, tx, "ANALYZE "+strings.Join(heldTables, ", "))
		for _, text := range texts {
			wantIndexConditions(t, tx, text)
		}
	})
}

// wantSearches checks SQLite's plan of a statement: every step searches an index with more columns than those of the
// scope.
func wantSearches(t *testing.T, tx *sql.Tx, text string) {
	t.Helper()
	plan := lines(t, tx, "EXPLAIN QUERY PLAN "+text, make([]any, parameters(text))...)
	for line := range strings.Lines(plan) {
		line = strings.TrimSpace(line)
		scans := strings.HasPrefix(line, "SCAN ") && !strings.HasPrefix(line, "SCAN linked") &&
			!strings.HasPrefix(line, "SCAN found") // the results of a subquery with LIMIT 1
		searches := strings.HasPrefix(line, "SEARCH ")
		// After the scope, a search has an equality or a range with two ends. A range with one end could contain all
		// rows.
		third := strings.Count(line, "=?") > 2 || strings.Contains(line, "<?") || strings.Contains(line, "rowid")
		if scans || searches && (strings.Count(line, " AND ") < 2 || !third) {
			t.Errorf("%s in the plan of %s:\n%s", line, text, plan)
		}
	}
}

// indexCondition matches the condition of an index in a plan of PostgreSQL.
var indexCondition = regexp.MustCompile(`Index Cond: (.*)`)

// wantIndexConditions checks PostgreSQL's plan of a statement: no table is scanned, and every condition of an index
// contains more than the scope.
func wantIndexConditions(t *testing.T, tx *sql.Tx, text string) {
	t.Helper()
	nulls := strings.Join(slices.Repeat([]string{"NULL"}, parameters(text)), ", ")
	execAll(t, tx, "PREPARE erasing AS "+text)
	plan := lines(t, tx, "EXPLAIN EXECUTE erasing("+nulls+")")
	execAll(t, tx, "DEALLOCATE erasing")
	conditions := indexCondition.FindAllStringSubmatch(plan, -1)
	for _, c := range conditions {
		rest := strings.NewReplacer("tenant_id", "", "environment", "").Replace(c[1])
		if !regexp.MustCompile(
			`\b(id|ref|member|person|person_ref|applicant_ref|subject_ref|decision_id|subject|alert_id) >?=`).
			MatchString(rest) {
			t.Errorf("%s in the plan of %s:\n%s", c[0], text, plan)
		}
	}
	if len(conditions) == 0 || strings.Contains(plan, "Seq Scan") {
		t.Errorf("the plan of %s:\n%s", text, plan)
	}
}

// parameters returns the number of parameters of a statement.
func parameters(text string) (n int) {
	for _, match := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(text, -1) {
		var number int
		_, _ = fmt.Sscan(match[1], &number) // the expression matches only digits
		n = max(n, number)
	}
	return n
}
