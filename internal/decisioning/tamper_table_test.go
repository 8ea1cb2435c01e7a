package decisioning_test

import (
	"slices"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// tampered lists the tables that the tests of this package alter in every column, besides those of recordCases.
var tampered = []string{"decisions", "decision_features", "decision_people", "journal"}

// unverified maps every other table to the reason why verify does not compare its rows with the journal.
var unverified = map[string]string{
	"agent_runs":            "a run is repeated and compared when it is read; it decides nothing",
	"audit_log":             "SECURITY.md says that audit records are as trustworthy as the database",
	"backtest_chunks":       "uploaded rows are deleted after a week; the end of a backtest has an entry",
	"backtests":             "the end of a backtest has an entry, which is compared with its event",
	"batch_chunks":          "emptied when the rows are decided; the decisions have entries of their own",
	"batch_exclusions":      "deleted with the batch; the erasure has an entry",
	"batches":               "the end of a batch has an entry, which is compared with its event",
	"deleted_lists":         "deleted lists whose chunks are still to be removed; the deletion has an entry",
	"decision_stats":        "counters; nothing is decided by them",
	"deleted_lookup_tables": "deleted tables whose rows are still to be removed; the deletion has an entry",
	"fraud_alert_events":    "each change of an alert has an entry, which is compared with its event",
	"fraud_alert_evidence":  "follows from the decisions, which have entries",
	"fraud_alerts":          "changes with every decision; each change has an entry, which is compared with its event",
	"fraud_changes":         "has the entry of the pincode risks, which is compared with them",
	"fraud_links":           "counters; what was counted is among the facts of each decision",
	"fraud_pincode_hours":   "counters; what was counted is among the facts of each decision",
	"fraud_ring_people":     "follows from fraud_links",
	"fraud_rings":           "follows from fraud_links",
	"guarantee_proofs":      "a cache of what the prover found, by the checksums of what was proved",
	"idempotency_keys":      "deleted after a day; an answer of a decision names the decision",
	"installation":          "secrets that are encrypted, and marks; a wrong one opens nothing",
	"invitations":           "of people; not evidence of a decision",
	"journal_heads":         "the number of entries, which are compared without it",
	"key_epochs":            "of the master key; a wrong one opens nothing",
	"key_holders":           "of the master key; which nodes have it",
	"key_trees":             "encrypted; a wrong one opens no document, and every document is opened",
	"log_checkpoints":       "signed; Evidence.Audit compares it with the journal and with the files beside the key",
	"log_cosigned":          "signed by the log key and by a witness, which whoever reads it checks",
	"log_tiles":             "Evidence.Audit computes the hashes again from the journal, and compares them",
	"policy_edit_steps":     "of working copies, which decide nothing; a saved version has an entry",
	"policy_edits":          "of working copies, which decide nothing; a saved version has an entry",
	"recent_requests":       "deleted after ten minutes",
	"referrals":             "the queue of referrals, which follows from decisions and reviews",
	"retention_progress":    "believed only if the entry of the journal says the same",
	"rule_set_lists":        "follows from the document of the rule set",
	"rule_set_tables":       "follows from the document of the rule set",
	"rule_stats":            "counters; nothing is decided by them",
	"saved_filters":         "of people: filters of a list; not evidence of a decision",
	"schema_migrations":     "checked when the service starts",
	"second_factors":        "encrypted secrets and hashes of people; not evidence of a decision",
	"sessions":              "deleted after some hours; not evidence of a decision",
	"signup_codes":          "of the operator; not evidence of a decision",
	"stored_bytes":          "counters of the storage share",
	"tenants":               "of the operator: the name and the plan; not evidence of a decision",
	"usage_counters":        "compared with the number of decisions: TestVerifyCountsUsage",
	"usage_thresholds":      "each threshold has an entry, which is compared with its event",
	"usage_totals":          "compared with the number of decisions: TestVerifyCountsUsage",
	"user_identities":       "of people: which account of a provider signs them in; not evidence of a decision",
	"users":                 "of people; who activated and reviewed is in the entries of these",
	"webhook_deliveries":    "a log of attempts, deleted after some days",
	"webhook_ranges":        "of redeliveries; not evidence of a decision",
	"webhook_retries":       "of deliveries; not evidence of a decision",
	"webhooks":              "an address and an encrypted secret; not evidence of a decision",
	"series":                "compared with the activations: TestVerifyNamesActivePolicy",
}

// TestEveryTableIsVerifiedOrNamed lists the tables of the schema. A new table must either be altered column by column
// by the tests of this package, or have a reason here why verify does not compare it. The columns of the altered tables
// are read from the schema, so that a new column is altered too.
func TestEveryTableIsVerifiedOrNamed(t *testing.T) {
	t.Parallel()
	covered := slices.Clone(tampered)
	for _, c := range recordCases() {
		covered = append(covered, c.table)
	}
	for kind, databaseURL := range map[string]string{
		"sqlite": storetest.MigratedSQLite(t), "postgres": storetest.MigratedPostgres(t),
	} {
		query := "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
		if kind == "postgres" {
			query = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
		}
		i := &intruder{t, storetest.Raw(t, databaseURL), kind}
		stored := i.texts(query)
		for _, table := range stored {
			if reason := unverified[table]; (reason != "") == slices.Contains(covered, table) {
				t.Errorf("%s: verify must find every change of %s, or this test must say why it does not", kind, table)
			}
		}
		for table := range unverified {
			if !slices.Contains(stored, table) && !(kind == "sqlite" && table == "journal_heads") {
				t.Errorf("%s: there is no table %s", kind, table)
			}
		}
	}
}

// TestVerifyNamesInsertedKey inserts an API key directly into the database, as an attacker would to gain access.
// Verify must name it.
func TestVerifyNamesInsertedKey(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		later := time.Date(2040, time.January, 2, 9, 0, 0, 0, time.UTC)
		h := usecasetest.Open(t, db, usecase.Options{Now: func() time.Time { return later }})
		i := intrude(t, databaseURL, db.Kind())
		i.do("CREATE TABLE copied AS SELECT * FROM api_keys WHERE environment = 'live' OR environment = 'sandbox'",
			"UPDATE copied SET id = 'key_x', hash = 'x', created_micros = 7",
			"DELETE FROM copied WHERE id <> (SELECT min(id) FROM copied)",
			"INSERT INTO api_keys SELECT * FROM copied LIMIT 1")
		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Failed != 1 || found.Wrong[0].ID != "key_x" {
			t.Errorf("verify finds %+v, %v", found, err)
		}
	})
}

// TestVerifyNamesInsertedErasure inserts the receipt of an erasure that was never carried out. Verify must name it.
func TestVerifyNamesInsertedErasure(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		makeErasures(t, h, db.Scope(h.Caller.TenantID, string(h.Caller.Environment)))
		i := intrude(t, databaseURL, db.Kind())
		i.do("CREATE TABLE copied AS SELECT * FROM erasures",
			"DELETE FROM copied WHERE id <> (SELECT min(id) FROM copied)",
			"UPDATE copied SET id = 'era_x'",
			"INSERT INTO erasures SELECT * FROM copied")
		found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
		if err != nil || found.Failed != 1 || found.Wrong[0].ID != "era_x" {
			t.Errorf("verify finds %+v, %v", found, err)
		}
	})
}

// TestVerifyNamesActivePolicy changes which rule set is stored as the active one of a policy key. Verify must report
// the change.
func TestVerifyNamesActivePolicy(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := usecasetest.Open(t, db, usecase.Options{})
		makeRuleSets(t, h, db.Scope(h.Caller.TenantID, string(h.Caller.Environment)))
		i := intrude(t, databaseURL, db.Kind())
		for _, change := range []string{
			"UPDATE series SET active_id = 'pol_1' WHERE name = 'cards'",
			"UPDATE series SET active_id = '' WHERE name = 'cards'",
			"DELETE FROM series WHERE name = 'cards'",
		} {
			i.do(change)
			found, err := h.Service.Decisions.Audit.Verify(t.Context(), "", nil)
			if err != nil || found.Failed != 1 {
				t.Errorf("%s: verify finds %+v, %v", change, found, err)
			}
		}
	})
}
