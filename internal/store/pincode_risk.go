package store

import (
	"strings"

	"verdict/internal/fault"
)

// MaxPincodeRisks is the maximum number of entries of a scope. India has fewer than 20,000 pincodes; the other entries
// can be prefixes.
const MaxPincodeRisks = 25_000

// PincodeRisk is the risk that a tenant assigns to a pincode, or to all
// pincodes that begin with its digits.
type PincodeRisk struct {
	Pincode       string
	Risk          string
	Score         int64 // in a unit that the caller chooses
	Reason        string
	UpdatedMicros int64
	UpdatedBy     string
	ExpiresMicros int64 // 0: never
}

const pincodeRiskColumns = "pincode, risk, score, reason, updated_micros, updated_by, expires_micros"

var pincodeRiskTable = newBulkTable("fraud_pincode_risks",
	column{"pincode", text}, column{"risk", text}, column{"score", bigint}, column{"reason", text},
	column{"updated_micros", bigint}, column{"updated_by", text}, column{"expires_micros", bigint},
).withClause(`ON CONFLICT (tenant_id, environment, pincode) DO UPDATE SET risk = excluded.risk, score = excluded.score,
	reason = excluded.reason, updated_micros = excluded.updated_micros, updated_by = excluded.updated_by,
	expires_micros = excluded.expires_micros`)

func (r *PincodeRisk) fields() []any {
	return []any{&r.Pincode, &r.Risk, &r.Score, &r.Reason, &r.UpdatedMicros, &r.UpdatedBy, &r.ExpiresMicros}
}

// Put adds entries and replaces the stored entries with the same digits. If two
// of the given entries have the same digits, the later one is stored. Put
// returns Invalid too_many if there would be more than MaxPincodeRisks.
func (pr PincodeRisks) Put(entries []PincodeRisk) error {
	if len(entries) == 0 {
		return nil
	}
	if err := pr.tx.FraudConfigs().noteChange(); err != nil {
		return err
	}
	return pr.put(entries)
}

func (pr PincodeRisks) put(entries []PincodeRisk) error {
	last := make(map[string]int, len(entries)) // one statement must not insert a key twice
	for i := range entries {
		last[entries[i].Pincode] = i
	}
	rows := make([][]any, 0, len(last))
	for i := range entries {
		if r := &entries[i]; last[r.Pincode] == i {
			rows = append(rows,
				[]any{r.Pincode, r.Risk, r.Score, r.Reason, r.UpdatedMicros, r.UpdatedBy, r.ExpiresMicros})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := pincodeRiskTable.insert(pr.tx, rows); err != nil {
		return err
	}
	var n int64
	err := pr.tx.one([]any{&n}, "SELECT count(*) FROM fraud_pincode_risks WHERE tenant_id = $1 AND environment = $2")
	if err == nil && n > MaxPincodeRisks {
		return fault.New(fault.Invalid, fault.CodeTooMany, "at most %d entries are allowed; remove some first",
			MaxPincodeRisks)
	}
	return err
}

// Remove deletes entries and returns how many existed.
//
// It runs one statement for each pincode. With a list of pincodes in one
// statement, PostgreSQL would compare every row with every pincode of the list,
// because it expects only one row in the scope until it has analysed the table.
func (pr PincodeRisks) Remove(pincodes []string) (removed int64, err error) {
	if len(pincodes) == 0 {
		return 0, nil
	}
	if err := pr.tx.FraudConfigs().noteChange(); err != nil {
		return 0, err
	}
	for _, pincode := range pincodes {
		n, err := pr.tx.exec(
			"DELETE FROM fraud_pincode_risks WHERE tenant_id = $1 AND environment = $2 AND pincode = $3", pincode)
		if err != nil {
			return 0, err
		}
		removed += n
	}
	return removed, nil
}

// Replace deletes all entries and stores the given ones, which may be none.
func (pr PincodeRisks) Replace(entries []PincodeRisk) error {
	if err := pr.tx.FraudConfigs().noteChange(); err != nil {
		return err
	}
	if _, err := pr.tx.exec("DELETE FROM fraud_pincode_risks WHERE tenant_id = $1 AND environment = $2"); err != nil {
		return err
	}
	return pr.put(entries)
}

// PincodeRiskFilter filters a list; empty fields match everything. Prefix and
// Pincode must be digits; for other text the result is undefined.
type PincodeRiskFilter struct{ Pincode, Prefix, Risk string }

// List returns a page of the scope's entries in the order of their digits, and
// whether there are more. It uses only Limit and AfterID of the page; AfterID
// is the digits of the last entry of the previous page.
func (pr PincodeRiskReader) List(f PincodeRiskFilter, p Page) ([]PincodeRisk, bool, error) {
	return readTwo(pr.access, func(tx *Tx) ([]PincodeRisk, bool, error) {
		q := listOf(
			"SELECT " + pincodeRiskColumns + " FROM fraud_pincode_risks WHERE tenant_id = $1 AND environment = $2")
		q.equals("pincode", f.Pincode)
		q.equals("risk", f.Risk)
		if f.Prefix != "" {
			// The values are digits, which all collations sort in the same order.
			const digits = 6
			q.where("pincode >= ?", f.Prefix)
			q.where("pincode <= ?", f.Prefix+strings.Repeat("9", max(0, digits-len(f.Prefix))))
		}
		if p.AfterID != "" {
			q.where("pincode > ?", p.AfterID)
		}
		q.add(" ORDER BY pincode")
		q.limit(p)
		return list(tx, q, p, scanPincodeRisk)
	})
}

// All returns all entries of the scope, at most MaxPincodeRisks.
func (pr PincodeRiskReader) All() ([]PincodeRisk, error) {
	return read(pr.access, func(tx *Tx) (entries []PincodeRisk, err error) {
		err = tx.each(func(scan func(...any) error) error {
			r, err := scanPincodeRisk(scan)
			entries = append(entries, r)
			return err
		}, "SELECT "+pincodeRiskColumns+
			" FROM fraud_pincode_risks WHERE tenant_id = $1 AND environment = $2 ORDER BY pincode LIMIT $3",
			int64(MaxPincodeRisks))
		return entries, err
	})
}

func scanPincodeRisk(scan func(...any) error) (r PincodeRisk, err error) {
	err = scan(r.fields()...)
	return r, err
}
