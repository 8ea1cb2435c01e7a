package exposuredesk_test

import (
	"testing"

	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/privacydesk"
	"verdict/internal/store/storetest"
)

// wantVerified checks that verify finds nothing wrong, and how many objects have no entry in the journal.
func (b *bench) wantVerified(noEntry int64) {
	b.Helper()
	found, err := b.Service.Decisions.Audit.Verify(b.Context(), "", nil)
	if err != nil || found.Failed != 0 || found.NoEntry != noEntry {
		b.Errorf("verified %+v, %v", found, err)
	}
}

// insertOlder stores an exposure as it was stored before exposures had entries in the journal and were sealed.
func (b *bench) insertOlder(id string) {
	b.Helper()
	tx, err := storetest.Raw(b, b.url).BeginTx(b.Context(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // has no effect after the commit
	if b.db.Kind() != "sqlite" {
		if _, err := tx.ExecContext(b.Context(), "SELECT set_config('verdict.role', 'system', true)"); err != nil {
			b.Fatal(err)
		}
	}
	loan := exposure.Loan{Product: "gold_loan", OutstandingPaise: 700_00}
	_, err = tx.ExecContext(b.Context(), `INSERT INTO exposures (tenant_id, environment, id, applicant_ref, decision_id,
		document, created_micros, created_by, updated_micros, updated_by, closed_micros, leaf, salt)
		VALUES ($1, $2, $3, 'P-1', '', $4, 1000, 'key_1', 1000, 'key_1', 0, -1, $5)`,
		b.Caller.TenantID, string(b.Caller.Environment), id, loan.Encode(), []byte{})
	if err == nil {
		err = tx.Commit()
	}
	if err != nil {
		b.Fatal(err)
	}
}

// TestOlderExposures checks how an exposure that is older than the journal gets its entry: from the backfill, when
// the exposure is sealed, or with the next report.
func TestOlderExposures(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.insertOlder("exp_01KA2W4Q8N5T7XJ3RZB6MCDVHE")
		b.wantVerified(1)
		if done, err := b.Service.Exposures.SealOlder(b.Context()); err != nil || done != 1 {
			b.Errorf("%d exposures were sealed, %v", done, err)
		}
		b.wantVerified(0)
		if e := b.reported(owes("P-1", "gold_loan", 600)); e.ID != "exp_01KA2W4Q8N5T7XJ3RZB6MCDVHE" {
			b.Errorf("the report is about %s", e.ID)
		}
		b.wantVerified(0)

		b.insertOlder("exp_01KA2W4Q8N5T7XJ3RZB6MCDVHF")
		b.wantVerified(1)
		if done, err := b.Service.Decisions.Audit.Backfill(b.Context(), nil); err != nil || done != 1 {
			b.Errorf("%d entries were added, %v", done, err)
		}
		b.wantVerified(0)
		b.insertOlder("exp_01KA2W4Q8N5T7XJ3RZB6MCDVHG") // every new exposure must have an entry from now on
		found, err := b.Service.Decisions.Audit.Verify(b.Context(), "", nil)
		if err != nil || found.Failed != 1 || found.Wrong[0].ID != "exp_01KA2W4Q8N5T7XJ3RZB6MCDVHG" {
			b.Errorf("verified %+v, %v", found, err)
		}
	})
}

// TestErasedExposures erases a person with a closed loan. The journal must have an entry that explains the missing
// row.
func TestErasedExposures(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		b.reported(owes("P-1", "gold_loan", 600))
		b.reported(exposuredesk.NewReport{ApplicantRef: "P-1", Loan: exposure.Loan{Product: "gold_loan"}, Closed: true})
		b.reported(owes("P-2", "gold_loan", 600))
		b.wantVerified(0)
		e, err := b.Service.Privacy.Erase(b.Context(), b.admin,
			privacydesk.NewErasure{ApplicantRef: "P-1", Reason: "applicant_request"}, nil)
		if err != nil || e.Counts.Exposures != 1 {
			b.Fatalf("the erasure is %+v, %v", e, err)
		}
		b.wantVerified(0)
	})
}
