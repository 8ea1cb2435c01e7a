package storetest_test

import (
	"slices"
	"strings"
	"testing"

	"verdict/internal/store/storetest"
)

// The classes of the columns that hold texts and bytes.
const (
	sealed    = "sealed"    // about a person, encrypted with the person's key (ADR 23)
	encrypted = "encrypted" // encrypted with the master key, or with a key that the master key encrypts
	reference = "reference" // the lender's own reference of an applicant or a loan
	keyedHash = "keyed"     // a keyed hash of something about a person
	hash      = "hash"      // a hash, or hashes, without the person's data
	outcome   = "outcome"   // the outcome of a decision, which remains when the person is erased
	lender    = "lender"    // the lender's own data: policies, settings, ids, states
	staff     = "staff"     // about the lender's people
	readable  = "readable"  // may contain data about applicants, and is not encrypted yet
)

// columns lists the columns with texts or bytes, by table and class. It omits the columns tenant_id and
// environment, which are the first columns of every key. SECURITY.md names the columns of the class readable.
var columns = map[string]string{
	"agent_runs " + lender:         "id agent decision_id hash",
	"agent_runs " + outcome:        "outcome",
	"agent_runs " + reference:      "subject_ref",
	"agent_runs " + sealed:         "request response",
	"agent_runs " + staff:          "actor",
	"api_keys " + hash:             "hash",
	"api_keys " + lender:           "id name prefix role scopes",
	"api_keys " + staff:            "created_by",
	"audit_log " + hash:            "before_checksum after_checksum",
	"audit_log " + lender:          "id action object",
	"audit_log " + readable:        "note", // users may write about an applicant in a note
	"audit_log " + staff:           "actor",
	"backtest_chunks " + lender:    "backtest_id result",
	"backtest_chunks " + encrypted: "input", // encrypted with the upload's key; deleted a week after the backtest ends
	"backtests " + lender: "id status source rule_set_id challenger_id setup request report error_code " +
		"error_detail",
	"batch_chunks " + encrypted:           "input", // encrypted with the upload's key; emptied when the chunk is done
	"batch_chunks " + lender:              "batch_id",
	"batch_chunks " + outcome:             "result",
	"batch_exclusions " + keyedHash:       "person",
	"batch_exclusions " + lender:          "batch_id",
	"batches " + lender:                   "id status endpoint error_code error_detail request_id counts",
	"batches " + staff:                    "created_by",
	"backtests " + staff:                  "created_by",
	"collections_strategies " + lender:    "document",
	"collections_strategies " + hash:      "salt",
	"collections_strategies " + staff:     "updated_by",
	"decision_features " + hash:           "hash",
	"decision_features " + outcome:        "decision_id as_of",
	"decision_features " + sealed:         "vector source",
	"decision_people " + outcome:          "decision_id role",
	"decision_people " + reference:        "person_ref",
	"decision_people " + sealed:           "facts",
	"decision_reviews " + hash:            "salt",
	"decision_reviews " + outcome:         "id decision_id outcome reason_code",
	"decision_reviews " + readable:        "note",
	"decision_reviews " + staff:           "actor",
	"decision_stats " + lender:            "span kind at name",
	"decisions " + hash:                   "hash",
	"decisions " + outcome:                "id status grade policy_key policy_id endpoint engine_version plain",
	"decisions " + reference:              "applicant_ref",
	"decisions " + sealed:                 "response facts",
	"decisions " + staff:                  "actor",
	"erasures " + hash:                    "refs",
	"erasures " + keyedHash:               "request_key",
	"erasures " + lender:                  "id state decision_id reason trees basis",
	"erasures " + reference:               "applicant_ref", // kept until the erasure is completed or withdrawn
	"erasures " + staff:                   "actor withdrawn_by",
	"exposures " + hash:                   "salt",
	"exposures " + lender:                 "id decision_id",
	"exposures " + reference:              "applicant_ref",
	"exposures " + sealed:                 "document",
	"exposures " + staff:                  "created_by updated_by",
	"fraud_alert_events " + lender:        "alert_id from_status to_status resolution",
	"fraud_alert_events " + readable:      "note",
	"fraud_alert_events " + staff:         "actor",
	"fraud_alert_evidence " + lender:      "alert_id part",
	"fraud_alert_evidence " + reference:   "ref",
	"fraud_alerts " + keyedHash:           "entity_key",
	"fraud_alerts " + lender:              "id type status kind resolution previous_id merged_into",
	"fraud_alerts " + readable:            "display note", // display is masked
	"fraud_alerts " + staff:               "acknowledged_by closed_by",
	"fraud_changes " + hash:               "pincode_salt",
	"fraud_changes " + lender:             "name",
	"fraud_configs " + hash:               "salt",
	"fraud_configs " + keyedHash:          "accounts",
	"fraud_configs " + lender:             "name document",
	"fraud_configs " + staff:              "updated_by",
	"fraud_entities " + hash:              "blocked_salt",
	"fraud_entities " + keyedHash:         "entity_key",
	"fraud_entities " + lender:            "kind blocked_alert block_id ring_id",
	"fraud_entities " + readable:          "display blocked_reason", // display is masked
	"fraud_entities " + staff:             "blocked_by",
	"fraud_links " + keyedHash:            "entity_key",
	"fraud_links " + outcome:              "decision_id kind",
	"fraud_links " + reference:            "member",
	"fraud_pincode_hours " + keyedHash:    "entity_key",
	"fraud_pincode_risks " + lender:       "pincode risk reason",
	"fraud_pincode_risks " + staff:        "updated_by",
	"fraud_ring_people " + outcome:        "decision_id ring_id",
	"fraud_ring_people " + reference:      "person",
	"fraud_rings " + lender:               "id",
	"guarantee_proofs " + hash:            "proof_key",
	"guarantee_proofs " + lender:          "document", // contains applicants that the prover generated
	"idempotency_keys " + keyedHash:       "request_hash",
	"idempotency_keys " + lender:          "route name header subject",
	"idempotency_keys " + sealed:          "body",
	"installation " + encrypted:           "value", // the secret of keyed hashes; other values are fingerprints
	"installation " + lender:              "name",
	"invitations " + hash:                 "hash",
	"invitations " + staff:                "id email role invited_by",
	"journal " + hash:                     "entries",
	"key_epochs " + hash:                  "fingerprint", // the fingerprint of a master key
	"key_holders " + hash:                 "fingerprints",
	"key_holders " + lender:               "node",
	"key_trees " + encrypted:              "tree",
	"legal_holds " + lender:               "id decision_id reason",
	"legal_holds " + reference:            "applicant_ref", // replaced by a keyed hash when the person is erased
	"legal_holds " + staff:                "actor released_by",
	"lender_profiles " + hash:             "salt",
	"lender_profiles " + lender:           "document",
	"lender_profiles " + staff:            "updated_by",
	"list_chunks " + keyedHash:            "keys",
	"list_chunks " + lender:               "list_id",
	"list_chunks " + encrypted:            "entry_values", // encrypted with a key from the tenant's key tree
	"lists " + lender:                     "name id type directory",
	"lists " + staff:                      "created_by updated_by",
	"lists " + hash:                       "salt",
	"log_checkpoints " + hash:             "root note",
	"log_checkpoints " + lender:           "stopped opening",
	"log_cosigned " + hash:                "root note",
	"log_tiles " + hash:                   "hashes",
	"policy_edits " + lender:              "rule_set_id policy_key",
	"policy_edits " + staff:               "user_id",
	"policy_edit_steps " + lender:         "rule_set_id act state", // changes of a policy
	"policy_edit_steps " + staff:          "user_id",
	"recent_requests " + keyedHash:        "request_key",
	"recent_requests " + outcome:          "decision_id",
	"referrals " + outcome:                "decision_id",
	"referrals " + staff:                  "assignee",
	"retention_progress " + lender:        "zone after_id",
	"retention_settings " + hash:          "salt",
	"retention_settings " + lender:        "document",
	"retention_settings " + staff:         "updated_by",
	"rule_set_lists " + lender:            "list rule_set_id",
	"rule_sets " + hash:                   "salt",
	"rule_sets " + lender:                 "id policy_key name status document checksum base notes",
	"rule_sets " + staff:                  "created_by activated_by",
	"rule_stats " + lender:                "rule_set_id rule_id day",
	"saved_filters " + lender:             "name query", // contains no reference of an applicant
	"saved_filters " + staff:              "user_id",
	"schema_migrations " + lender:         "name checksum",
	"scorecards " + hash:                  "salt",
	"scorecards " + lender:                "id name document checksum",
	"scorecards " + staff:                 "created_by",
	"series " + lender:                    "kind name active_id safe_id",
	"sessions " + hash:                    "hash",
	"second_factors " + encrypted:         "secret",   // encrypted with a key from the tenant's key tree
	"second_factors " + hash:              "recovery", // hashes of the recovery codes
	"second_factors " + staff:             "user_id",
	"sessions " + staff:                   "id user_id address agent connection",
	"signup_codes " + hash:                "hash",
	"tenants " + lender:                   "id org_name plan",
	"usage_counters " + lender:            "period day endpoint",
	"usage_totals " + lender:              "period",
	"usage_thresholds " + lender:          "period",
	"user_identities " + lender:           "connection",
	"user_identities " + staff:            "user_id issuer subject",
	"users " + hash:                       "password_hash",
	"users " + staff:                      "id email role made_by stopped_by",
	"webhook_deliveries " + lender:        "webhook_id id event_id type outcome problem",
	"webhook_ranges " + lender:            "webhook_id id",
	"webhook_retries " + lender:           "webhook_id object", // the id of a decision, an alert or the like
	"webhooks " + lender:                  "id url types description state reason lease_owner",
	"webhooks " + encrypted:               "secret previous_secret", // encrypted with a key from the tenant's key tree
	"lookup_table_documents " + lender:    "table_id",
	"lookup_table_documents " + encrypted: "document", // encrypted with a key from the tenant's key tree
	"lookup_tables " + lender:             "name id definition",
	"lookup_tables " + staff:              "created_by updated_by",
	"lookup_tables " + hash:               "salt",
	"rule_set_tables " + lender:           "table_name rule_set_id",
}

// TestEveryColumnIsClassified compares the table above with the schema of both databases. A migration that adds a
// column with texts or bytes must say here what the column holds. Data about applicants must be encrypted, or there
// must be a reason why it is not.
func TestEveryColumnIsClassified(t *testing.T) {
	t.Parallel()
	var classified []string
	for name, list := range columns {
		table, _, _ := strings.Cut(name, " ")
		for column := range strings.FieldsSeq(list) {
			classified = append(classified, table+"."+column)
		}
	}
	slices.Sort(classified)
	if double := len(classified) - len(slices.Compact(slices.Clone(classified))); double > 0 {
		t.Errorf("%d columns have two classes", double)
	}
	for kind, databaseURL := range map[string]string{
		"sqlite": storetest.MigratedSQLite(t), "postgres": storetest.MigratedPostgres(t),
	} {
		stored := textColumns(t, kind, databaseURL)
		for _, column := range stored {
			if !slices.Contains(classified, column) {
				t.Errorf("%s: %s has no class", kind, column)
			}
		}
		for _, column := range classified {
			if !slices.Contains(stored, column) {
				t.Errorf("%s: %s has a class, but does not exist", kind, column)
			}
		}
	}
}

// textColumns returns the columns with texts or bytes, except tenant_id and environment.
func textColumns(t *testing.T, kind, databaseURL string) (found []string) {
	t.Helper()
	query := `SELECT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'
		AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND lower(c.type) NOT IN ('bigint', 'integer')
		AND c.name NOT IN ('tenant_id', 'environment')`
	if kind == "postgres" {
		query = `SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = 'public'
			AND data_type NOT IN ('bigint', 'integer') AND column_name NOT IN ('tenant_id', 'environment')`
	}
	rows, err := storetest.Raw(t, databaseURL).QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		found = append(found, name)
	}
	if err := rows.Err(); err != nil || len(found) == 0 {
		t.Fatalf("the database has the columns %v: %v", found, err)
	}
	return found
}
