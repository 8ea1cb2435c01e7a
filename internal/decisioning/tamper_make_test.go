package decisioning_test

import (
	"errors"
	"fmt"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase/usecasetest"
)

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

// versioned returns a function that stores two versions of a setting. put stores a document and returns its version.
func versioned(
	name string, put func(tx *store.Tx, document []byte, updatedBy string) (version int64, err error),
) func(t *testing.T, h *usecasetest.House, scope *store.Scope) []recordRow {
	return func(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
		t.Helper()
		for i := range 2 {
			write(t, scope, func(tx *store.Tx) error {
				version, err := put(tx, fmt.Append(nil, "document ", i), fmt.Sprint("usr_", i))
				rows = append(rows, recordRow{fmt.Sprint(name, "/", version), fmt.Sprint("version = ", version)})
				return err
			})
		}
		return rows
	}
}

func putStrategy(tx *store.Tx, document []byte, updatedBy string) (int64, error) {
	config := store.ConfigVersion{Document: document, UpdatedMicros: 5_000, UpdatedBy: updatedBy}
	s, err := tx.Strategies().Put(config, -1)
	return s.Version, err
}

func putLenderProfile(tx *store.Tx, document []byte, updatedBy string) (int64, error) {
	p, err := tx.LenderProfiles().Put(
		store.ConfigVersion{Document: document, UpdatedMicros: 5_000, UpdatedBy: updatedBy}, -1)
	return p.Version, err
}

func putRetention(tx *store.Tx, document []byte, updatedBy string) (int64, error) {
	s, err := tx.Retention().Put(
		store.ConfigVersion{Document: document, UpdatedMicros: 5_000, UpdatedBy: updatedBy}, -1)
	return s.Version, err
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
func makeListChunks(t *testing.T, h *usecasetest.House, scope *store.Scope) []recordRow {
	t.Helper()
	return ofParents(makeLists(t, h, scope), "list_id")
}

// ofParents returns the rows of another table that belong to parents. column is the column of that table which names
// the parent.
func ofParents(parents []recordRow, column string) (rows []recordRow) {
	for _, parent := range parents {
		rows = append(rows, recordRow{parent.id, column + " = '" + parent.id + "'"})
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
func makeTableDocuments(t *testing.T, h *usecasetest.House, scope *store.Scope) []recordRow {
	t.Helper()
	return ofParents(makeTables(t, h, scope), "table_id")
}

// makeExposures reports two loans, the second twice. It also reports two loans that are deleted: one with its person,
// and one at the end of its retention period.
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

// makeBlocklist blocks three entities. The second is removed from the list and blocked again. The third is removed.
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
		review, err := h.Service.Decisions.Reviews.Add(t.Context(), h.Caller, id,
			decisioning.NewReview{Outcome: outcome, ReasonCode: "INCOME_SEEN", Note: "Payslips of " + outcome}, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, recordRow{review.ID, "id = '" + review.ID + "'"})
	}
	return rows
}

// makeKeys creates two keys that expire. The second one is revoked.
func makeKeys(t *testing.T, h *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	accounts := h.DB.Accounts()
	for i, id := range []string{"key_1", "key_2"} {
		err := accounts.InsertKey(t.Context(), store.Key{
			ID: id, TenantID: scope.Tenant(), Environment: scope.Environment(), Name: "Name of " + id,
			Prefix: "vk_" + id, Hash: "hash of " + id, Role: "risk", Scopes: fmt.Sprint("read scope_", i),
			CreatedBy:     h.Signed.UserID,
			CreatedMicros: 2_100_000_000_000_000, ExpiresMicros: 2_300_000_000_000_000,
		}, 10, store.AuditEntry{ID: "aud_" + id, Actor: "usr_1"})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, recordRow{id, "id = '" + id + "'"})
	}
	_, err := accounts.RevokeKey(t.Context(), scope.Tenant(), "key_2", 2_200_000_000_000_000,
		store.AuditEntry{ID: "aud_3", Actor: "usr_1"})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// makeHolds places two legal holds and releases the second one.
func makeHolds(t *testing.T, _ *usecasetest.House, scope *store.Scope) (rows []recordRow) {
	t.Helper()
	for i, reason := range []string{"audit", "litigation"} {
		h := store.LegalHold{
			ID: fmt.Sprint("hld_", i), Person: store.Person{ApplicantRef: "A-1"}, Reason: reason,
			Actor: fmt.Sprint("usr_", i), CreatedMicros: 3_000, UntilMicros: 9_000,
		}
		write(t, scope, func(tx *store.Tx) error {
			if err := tx.LegalHolds().Place(h); err != nil || i == 0 {
				return err
			}
			return tx.LegalHolds().Release(h, "usr_9", 5_000)
		})
		rows = append(rows, recordRow{h.ID, "id = '" + h.ID + "'"})
	}
	return rows
}

// makeErasures decides for two people and erases them. The decisions are declined, so no offer defers the erasures.
func makeErasures(t *testing.T, h *usecasetest.House, _ *store.Scope) (rows []recordRow) {
	t.Helper()
	caller := h.Caller
	caller.Scopes |= tenant.PrivacyManage
	for _, ref := range []string{"A-1", "A-2"} {
		h.Decided(t, `{"applicant":{"id":"`+ref+`","monthly_income":20000,"requested_amount":600000},
			"bureau_report":{"score":350}}`)
		erased, err := h.Service.Privacy.Erase(t.Context(), caller,
			privacydesk.NewErasure{ApplicantRef: ref, Reason: "applicant_request"}, nil)
		if err != nil || erased.State != store.ErasureCompleted {
			t.Fatalf("%+v, %v", erased, err)
		}
		rows = append(rows, recordRow{erased.ID, "id = '" + erased.ID + "'"})
	}
	return rows
}
