package offer

import (
	"fmt"
	"strconv"
	"time"

	"verdict/internal/civil"
	"verdict/internal/engine"
	"verdict/internal/loan"
)

// KFS is a key facts statement. Texts are in its language. docs/OFFER.md says where each field comes from.
type KFS struct {
	Language       *Language
	Profile        *Profile
	ProfileVersion int64
	DecisionID     string
	Sandbox        bool   // the decision is a test, so there is no offer
	PolicyKey      string // the key of the policy that decided
	Proposal       string // the number of the loan proposal
	IssuedOn       civil.Day
	ValidUntil     time.Time
	DisbursedOn    civil.Day
	Offer          engine.Offer
	LenderFees     Fees
	OtherFees      Fees // payable to third parties through the lender
	Rows           []ScheduleRow
}

// Fees are the charges that either the lender or third parties get.
type Fees struct {
	Lines []FeeLine
	Paise int64 // the sum, with tax
}

// FeeLine is a charge that is payable once. Amounts are in paise.
type FeeLine struct {
	ID, Name        string
	Paise, TaxPaise int64
}

// TotalPaise returns the charge with its tax.
func (l FeeLine) TotalPaise() int64 { return l.Paise + l.TaxPaise }

func (f *Fees) add(line FeeLine) {
	f.Lines = append(f.Lines, line)
	f.Paise += line.TotalPaise()
}

// ScheduleRow is an instalment with the day on which it is due.
type ScheduleRow struct {
	Number int
	DueOn  civil.Day
	loan.Instalment
}

// feeID is the id of the processing fee among the charges.
const feeID = "processing_fee"

// MakeKFS makes the key facts statement of an approved offer. It does not price the offer again: the schedule must give
// the instalments that the offer states, otherwise MakeKFS returns an error.
func MakeKFS(d *Decided, p *Profile, version int64, disbursedOn civil.Day, l *Language) (*KFS, error) {
	o := d.Answer.Offer
	terms, err := loan.NewTerms(o.RateBP, o.TenureMonths)
	if err != nil {
		return nil, fmt.Errorf("offer of decision %s: %w", d.ID, err)
	}
	k := &KFS{
		Language:       l,
		Profile:        p,
		ProfileVersion: version,
		DecisionID:     d.ID,
		Sandbox:        d.Sandbox,
		PolicyKey:      d.PolicyKey,
		Proposal:       d.proposal(),
		IssuedOn:       d.endedOn(),
		ValidUntil:     d.validUntil(p),
		DisbursedOn:    disbursedOn,
		Offer:          o,
	}
	for i, row := range terms.Instalments(o.LimitPaise) {
		k.Rows = append(k.Rows, ScheduleRow{Number: i + 1, DueOn: addMonths(disbursedOn, i+1), Instalment: row})
	}
	last := len(k.Rows) - 1
	if last < 0 || k.Rows[last].PaidPaise != o.LastPaise || last > 0 && k.Rows[0].PaidPaise != o.InstalmentPaise {
		return nil, fmt.Errorf("offer of decision %s: the schedule does not give the stored instalments", d.ID)
	}
	if o.FeePaise > 0 {
		k.LenderFees.add(FeeLine{ID: feeID, Name: k.chargeName(feeID), Paise: o.FeePaise, TaxPaise: o.GSTPaise})
	}
	for _, c := range d.Answer.Charges {
		side := &k.LenderFees
		if c.ThirdParty {
			side = &k.OtherFees
		}
		side.add(FeeLine{ID: c.ID, Name: k.chargeName(c.ID), Paise: c.Paise, TaxPaise: c.TaxPaise})
	}
	return k, nil
}

// chargeName returns the name of a charge: the lender's name, or else that of the catalogue, or else a general name
// with the id.
func (k *KFS) chargeName(id string) string {
	if name := k.Profile.in(k.Language).Charges[id]; name != "" {
		return name
	}
	if key := "charge." + id; id != "other" && k.Language.Has(key) {
		return k.Language.Text(key)
	}
	return k.Language.Text("charge.other", "id", id)
}

// FirstDue returns the day of the first instalment.
func (k *KFS) FirstDue() civil.Day { return k.Rows[0].DueOn }

// LastDue returns the day of the last instalment.
func (k *KFS) LastDue() civil.Day { return k.Rows[len(k.Rows)-1].DueOn }

// Single reports whether the loan is paid back in a single payment, which is the last instalment.
func (k *KFS) Single() bool { return len(k.Rows) == 1 }

// InstalmentsText returns the number and the amounts of the instalments. The last one absorbs the rounding, so it is
// not counted among the equal ones.
func (k *KFS) InstalmentsText() string {
	last := Rupees(k.Offer.LastPaise)
	if k.Single() {
		return k.Language.Text("kfs.b.instalments.single", "last", last)
	}
	return k.Language.Text("kfs.b.instalments.text", "number", strconv.Itoa(len(k.Rows)-1),
		"amount", Rupees(k.Offer.InstalmentPaise), "last", last)
}

// ValidDay returns the Indian day at whose end the validity ends.
func (k *KFS) ValidDay() civil.Day { return civil.DayAt(k.ValidUntil) }

// CoolingOffEnd returns the last day on which the borrower can give the loan back without a penalty.
func (k *KFS) CoolingOffEnd() civil.Day { return k.DisbursedOn + civil.Day(k.Profile.CoolingOffDays) }

// FeesPaise returns all fees and charges with their tax.
func (k *KFS) FeesPaise() int64 { return k.LenderFees.Paise + k.OtherFees.Paise }

// LenderName returns the name of the lender, in the script of the language if the profile has it.
func (k *KFS) LenderName() string { return k.Profile.name(k.Language) }

// LenderAddress returns the address of the lender, in the script of the language if the profile has it.
func (k *KFS) LenderAddress() string { return k.Profile.address(k.Language) }

// Officer returns the officer for complaints, in the script of the language if the profile has it.
func (k *KFS) Officer() Contact { return k.Profile.officer(k.Language) }

// LoanType returns the type of the loan.
func (k *KFS) LoanType() string { return k.Profile.loanType(k.Language, k.PolicyKey) }

// Term returns one of the lender's terms, such as "penal_charges".
func (k *KFS) Term(name string) string { return k.Profile.term(k.Language, name) }

// Note returns the lender's own text at the end of the document.
func (k *KFS) Note() string { return k.Profile.in(k.Language).Note }
