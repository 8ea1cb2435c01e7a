package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"verdict/internal/civil"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestBureauRoundTrip checks that a history that is written in a bureau's layout is read back unchanged, in every
// layout. There must be no fault, and no warning except about omitted figures, card instalments and dates later than
// the report.
func TestBureauRoundTrip(t *testing.T) {
	t.Parallel()
	for bureau, render := range map[string]func(*History) string{
		"other": renderCommon, "experian": renderExperian, "cibil": renderCIBIL, "equifax": renderEquifax,
		"crif": renderCRIF,
	} {
		t.Run(bureau, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				want := drawHistory(t)
				if bureau == "experian" {
					want.Last7, want.Last180 = drawCount(t, "last 7"), drawCount(t, "last 180")
				}
				body := render(want)
				v, err := wire.Parse([]byte(body))
				if err != nil {
					t.Fatalf("%v in %s", err, body)
				}
				var faults, warnings fault.List
				got := ReadBureau(bureau, v, today, &faults, &warnings)
				others := slices.DeleteFunc(slices.Clone(warnings.Items()), func(it fault.Item) bool {
					return isGap(it.Code) || it.Code == noticeTexts[cardPayment].code ||
						it.Code == noticeTexts[laterThanReport].code
				})
				if faults.Len() > 0 || len(others) > 0 {
					t.Fatalf("faults %v, warnings %v in %s", faults.Items(), others, body)
				}
				if got == nil {
					got = &History{
						Reported: civil.NoDay,
						Last7:    NoCount,
						Last30:   NoCount,
						Last90:   NoCount,
						Last180:  NoCount,
					}
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("-want +got:\n%s\nin %s", diff, body)
				}
			})
		})
	}
}

func drawCount(t *rapid.T, label string) int32 { return rapid.Int32Range(NoCount, 20).Draw(t, label) }

func drawHistory(t *rapid.T) *History {
	h := &History{Reported: drawDay(t, "reported"), Last7: NoCount, Last30: NoCount, Last90: NoCount, Last180: NoCount}
	if h.HasAccounts = rapid.Bool().Draw(t, "has accounts"); h.HasAccounts {
		for i := range rapid.IntRange(0, 5).Draw(t, "accounts") {
			h.Accounts = append(h.Accounts, drawAccount(t, i))
		}
	}
	if h.HasEnquiries = rapid.Bool().Draw(t, "has enquiries"); h.HasEnquiries {
		for i := range rapid.IntRange(0, 5).Draw(t, "enquiries") {
			h.Enquiries = append(h.Enquiries, Enquiry{
				Made: today - civil.Day(rapid.IntRange(-1, 2000).Draw(t, "made")), Product: drawProduct(t),
				AmountPaise: drawAmount(t, "asked"), At: int32(i),
			})
		}
	}
	return h
}

func drawDay(t *rapid.T, label string) civil.Day {
	if rapid.Bool().Draw(t, label+" unknown") {
		return civil.NoDay
	}
	return today - civil.Day(rapid.IntRange(-1, 9000).Draw(t, label))
}

func drawProduct(t *rapid.T) Product {
	return Product(rapid.IntRange(int(OtherUnsecured), int(BusinessLoanSecured)).Draw(t, "product"))
}

func drawAmount(t *rapid.T, label string) int64 {
	if rapid.IntRange(0, 4).Draw(t, label+" unknown") == 0 {
		return NoAmount
	}
	return rapid.Int64Range(0, maxAmountPaise).Draw(t, label)
}

func drawAccount(t *rapid.T, i int) Account {
	a := Account{
		Product: drawProduct(t), Owner: Owner(rapid.IntRange(int(Own), int(AuthorisedUser)).Draw(t, "owner")),
		Live: rapid.Bool().Draw(t, "live"), Adverse: Adverse(rapid.IntRange(0, 15).Draw(t, "adverse")),
		Opened: drawDay(t, "opened"), Closed: drawDay(t, "closed"),
		Reported:        today - civil.Day(rapid.IntRange(-1, 2000).Draw(t, "said")),
		SanctionedPaise: drawAmount(t, "sanctioned"), BalancePaise: drawAmount(t, "balance"),
		OverduePaise: drawAmount(t, "overdue"), InstalmentPaise: drawAmount(t, "instalment"), AdversePaise: NoAmount,
		At: int32(i), ConvertedPaise: NoAmount, WrittenOffPaise: NoAmount, SettledPaise: NoAmount,
		WrittenOffDay: civil.NoDay, SettledDay: civil.NoDay,
	}
	if a.BalancePaise > 100 && rapid.IntRange(0, 5).Draw(t, "overpaid") == 0 {
		a.BalancePaise = -a.BalancePaise
	}
	if a.Adverse&(WrittenOff|Settled) != 0 {
		a.AdversePaise = drawAmount(t, "written off")
		a.Live = false
		if a.Adverse&WrittenOff != 0 {
			a.WrittenOffPaise, a.WrittenOffDay = a.AdversePaise, drawDay(t, "written off on")
		} else {
			a.SettledPaise = a.AdversePaise
		}
		if a.Adverse&Settled != 0 {
			a.SettledDay = drawDay(t, "settled on")
		}
	}
	if a.Closed.Known() {
		a.Live = false
	}
	at := a.Reported.Month()
	for range rapid.IntRange(0, 40).Draw(t, "months") {
		if rapid.IntRange(0, 3).Draw(t, "unreported") > 0 {
			days := rapid.SampledFrom([]int16{0, 0, 0, 1, 29, 30, 31, 60, 90, 180, 900}).Draw(t, "days")
			a.History = append(a.History, Payment{Month: at, DaysPastDue: days})
		}
		at--
	}
	return a
}

// fields writes an object member by member and omits unknown values.
type fields struct {
	buf  []string
	text bool // write numbers as texts, as bureaus do
}

func (f *fields) raw(name, value string) { f.buf = append(f.buf, fmt.Sprintf("%q:%s", name, value)) }
func (f *fields) str(name, text string)  { f.raw(name, fmt.Sprintf("%q", text)) }

func (f *fields) day(name string, d civil.Day, format func(y, m, d int) string) {
	if d.Known() {
		year, month, day := d.Date()
		f.str(name, format(year, int(month), day))
	}
}

func (f *fields) amount(name string, paise int64) {
	if paise == NoAmount {
		return
	}
	literal := string(wire.AppendDecimal(nil, paise, 2))
	if f.text {
		literal = `"` + literal + `"`
	}
	f.raw(name, literal)
}

func (f *fields) object() string { return "{" + strings.Join(f.buf, ",") + "}" }

func iso(y, m, d int) string      { return fmt.Sprintf("%04d-%02d-%02d", y, m, d) }
func joined(y, m, d int) string   { return fmt.Sprintf("%04d%02d%02d", y, m, d) }
func european(y, m, d int) string { return fmt.Sprintf("%02d%02d%04d", d, m, y) }
func hyphens(y, m, d int) string  { return fmt.Sprintf("%02d-%02d-%04d", d, m, y) }

// list writes a list, or null if has is false.
func list[T any](has bool, elements []T, write func(*T) string) string {
	if !has {
		return "null"
	}
	var out []string
	for i := range elements {
		out = append(out, write(&elements[i]))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// The product names of each layout, in the order of the products.
var (
	commonTypes = []string{"other", "secured", "personal_loan", "credit_card", "consumer_loan", "vehicle_loan",
		"home_loan", "gold_loan", "business_loan", "business_loan_secured"}
	codeTypes   = []string{"00", "04", "05", "10", "06", "01", "02", "07", "51", "50"}
	reasonTypes = []string{"99", "10", "13", "7", "6", "2", "14", "Gold Loan", "3", "Business Loan - Secured"}
	namedTypes  = []string{"Other", "Loan Against Bank Deposits", "Personal Loan", "Credit Card", "Consumer Loan",
		"Auto Loan", "Housing Loan", "Gold Loan", "Business Loan - General", "Business Loan - Secured"}
)

func renderCommon(h *History) string {
	var f fields
	f.day("reportDate", h.Reported, iso)
	f.raw("accounts", list(h.HasAccounts, h.Accounts, func(a *Account) string {
		var f fields
		f.str("accountType", commonTypes[a.Product])
		f.str("ownership", []string{"individual", "joint", "guarantor", "authorised_user"}[a.Owner])
		f.day("writtenOffDate", a.WrittenOffDay, iso)
		f.day("settledDate", a.SettledDay, iso)
		f.day("openDate", a.Opened, iso)
		f.day("closedDate", a.Closed, iso)
		f.day("dateReported", a.Reported, iso)
		switch {
		case a.Adverse&(WrittenOff|Settled) == WrittenOff|Settled:
			f.str("status", "post_write_off_settled")
		case a.Adverse&WrittenOff != 0:
			f.str("status", "written_off")
		case a.Adverse&Settled != 0:
			f.str("status", "settled")
		case a.Live:
			f.str("status", "active")
		default:
			f.str("status", "closed")
		}
		if a.Adverse&SuitFiled != 0 {
			f.raw("suitFiled", "true")
		}
		if a.Adverse&Wilful != 0 {
			f.raw("wilfulDefault", "true")
		}
		adverseAmount(&f, a, "writtenOffAmount", "settlementAmount")
		f.amount("sanctionedAmount", a.SanctionedPaise)
		f.amount("currentBalance", a.BalancePaise)
		f.amount("amountOverdue", a.OverduePaise)
		f.amount("emi", a.InstalmentPaise)
		f.raw("paymentHistory", list(true, a.History, func(p *Payment) string {
			return fmt.Sprintf(`{"month":%q,"dpd":%d}`, p.Month.First().String()[:7], p.DaysPastDue)
		}))
		return f.object()
	}))
	f.raw("enquiries", list(h.HasEnquiries, h.Enquiries, func(e *Enquiry) string {
		var f fields
		f.day("date", e.Made, iso)
		f.str("product", commonTypes[e.Product])
		f.amount("amount", e.AmountPaise)
		return f.object()
	}))
	return f.object()
}

func adverseAmount(f *fields, a *Account, writtenOff, settlement string) {
	if a.Adverse&WrittenOff != 0 {
		f.amount(writtenOff, a.AdversePaise)
	} else {
		f.amount(settlement, a.AdversePaise)
	}
}

// suitCode and facilityCode return the codes that Experian and CIBIL use.
func suitCode(a *Account) string { return fmt.Sprintf("%02d", a.Adverse>>2) }

func facilityCode(a *Account) string {
	return []string{"", "02", "03", "04"}[a.Adverse&(WrittenOff|Settled)]
}

func renderExperian(h *History) string {
	caps := fields{}
	for name, n := range map[string]int32{"CAPSLast7Days": h.Last7, "CAPSLast180Days": h.Last180} {
		if n != NoCount {
			caps.str(name, fmt.Sprint(n))
		}
	}
	header := fields{}
	header.day("ReportDate", h.Reported, joined)
	accounts := list(h.HasAccounts, h.Accounts, func(a *Account) string {
		f := fields{text: true}
		f.str("Account_Type", codeTypes[a.Product])
		f.str("AccountHoldertypeCode", []string{"1", "2", "7", "3"}[a.Owner])
		f.day("WriteOffStatusDate", a.WrittenOffDay, joined)
		f.day("SettlementDate", a.SettledDay, joined)
		f.day("Open_Date", a.Opened, joined)
		f.day("Date_Closed", a.Closed, joined)
		f.day("Date_Reported", a.Reported, joined)
		f.str("Account_Status", map[bool]string{true: "11", false: "13"}[a.Live])
		f.str("SuitFiledWillfulDefaultWrittenOffStatus", suitCode(a))
		f.str("Written_off_Settled_Status", facilityCode(a))
		adverseAmount(&f, a, "Written_Off_Amt_Total", "Settlement_Amount")
		f.amount("Highest_Credit_or_Original_Loan_Amount", a.SanctionedPaise)
		f.amount("Current_Balance", a.BalancePaise)
		f.amount("Amount_Past_Due", a.OverduePaise)
		f.amount("Scheduled_Monthly_Payment_Amount", a.InstalmentPaise)
		f.raw("CAIS_Account_History", list(true, a.History, func(p *Payment) string {
			return fmt.Sprintf(`{"Year":"%d","Month":"%02d","Days_Past_Due":"%d"}`,
				p.Month/12, p.Month%12+1, p.DaysPastDue)
		}))
		return f.object()
	})
	enquiries := list(h.HasEnquiries, h.Enquiries, func(e *Enquiry) string {
		f := fields{text: true}
		f.day("Date_of_Request", e.Made, joined)
		f.str("Enquiry_Reason", reasonTypes[e.Product])
		f.amount("Amount_Financed", e.AmountPaise)
		f.str("Subscriber_Name", "XXXXXXXX")
		return f.object()
	})
	return fmt.Sprintf(`{"INProfileResponse":{"Header":%s,"CAIS_Account":{"CAIS_Account_DETAILS":%s},`+
		`"CAPS":{"CAPS_Summary":%s,"CAPS_Application_Details":%s}}}`,
		header.object(), accounts, caps.object(), enquiries)
}

func renderCIBIL(h *History) string {
	header := fields{}
	header.day("dateProcessed", h.Reported, european)
	accounts := list(h.HasAccounts, h.Accounts, func(a *Account) string {
		f := fields{}
		f.str("accountType", codeTypes[a.Product])
		f.raw("ownershipIndicator", []string{"1", "4", "3", "2"}[a.Owner])
		f.day("writtenOffDate", a.WrittenOffDay, european)
		f.day("settlementDate", a.SettledDay, european)
		f.day("dateOpened", a.Opened, european)
		f.day("dateClosed", a.Closed, european)
		f.day("dateReported", a.Reported, european)
		f.str("suitFiled", suitCode(a))
		facility := facilityCode(a)
		if facility == "" && !a.Live && !a.Closed.Known() {
			facility = "05" // "05" means sold; CIBIL has no other code for this state
		}
		f.str("creditFacilityStatus", facility)
		adverseAmount(&f, a, "woAmountTotal", "settlementAmount")
		if a.Product == CreditCard && a.SanctionedPaise > 0 {
			f.amount("creditLimit", a.SanctionedPaise)
			f.amount("highCreditAmount", a.SanctionedPaise/2)
		} else {
			f.amount("highCreditAmount", a.SanctionedPaise)
		}
		f.amount("currentBalance", a.BalancePaise)
		f.amount("amountOverdue", a.OverduePaise)
		f.amount("emiAmount", a.InstalmentPaise)
		if len(a.History) > 0 {
			newest, oldest := a.History[0].Month, a.History[len(a.History)-1].Month
			cells := strings.Split(strings.Repeat("XXX,", int(newest-oldest)+1), ",")
			for _, p := range a.History {
				cells[newest-p.Month] = fmt.Sprintf("%03d", p.DaysPastDue)
			}
			f.str("paymentHistory", strings.Join(cells, ""))
			f.day("paymentStartDate", newest.First(), european)
			f.day("paymentEndDate", oldest.First(), european)
		}
		return f.object()
	})
	enquiries := list(h.HasEnquiries, h.Enquiries, func(e *Enquiry) string {
		f := fields{}
		f.day("enquiryDate", e.Made, european)
		f.str("enquiryPurpose", codeTypes[e.Product])
		f.amount("enquiryAmount", e.AmountPaise)
		return f.object()
	})
	return fmt.Sprintf(`{"consumerCreditData":[{"tuefHeader":%s,"accounts":%s,"enquiries":%s}]}`,
		header.object(), accounts, enquiries)
}

func renderEquifax(h *History) string {
	header := fields{}
	header.day("Date", h.Reported, iso)
	accounts := list(h.HasAccounts, h.Accounts, func(a *Account) string {
		f := fields{text: true}
		f.str("AccountType", namedTypes[a.Product])
		f.str("OwnershipType", []string{"Individual", "Joint", "Guarantor", "Authorized User"}[a.Owner])
		f.day("WriteOffDate", a.WrittenOffDay, iso)
		f.day("SettlementDate", a.SettledDay, iso)
		f.day("DateOpened", a.Opened, iso)
		f.day("DateClosed", a.Closed, iso)
		f.day("DateReported", a.Reported, iso)
		f.str("Open", map[bool]string{true: "Yes", false: "No"}[a.Live])
		f.str("AccountStatus", []string{"", "Charge Off/Written Off", "Settled", "Post Write Off Settled"}[a.Adverse&3])
		adverseAmount(&f, a, "WriteOffAmount", "SettlementAmount")
		f.amount("SanctionAmount", a.SanctionedPaise)
		f.amount("Balance", a.BalancePaise)
		f.amount("PastDueAmount", a.OverduePaise)
		f.amount("InstallmentAmount", a.InstalmentPaise)
		f.str("SuitFiledStatus", []string{"NS", "SF", "WDF", "SFWD"}[a.Adverse>>2])
		f.raw("History48Months", list(true, a.History, func(p *Payment) string {
			return fmt.Sprintf(`{"key":"%02d-%02d","PaymentStatus":"1%03d","SuitFiledStatus":"*"}`,
				p.Month%12+1, p.Month/12%100, p.DaysPastDue)
		}))
		return f.object()
	})
	enquiries := list(h.HasEnquiries, h.Enquiries, func(e *Enquiry) string {
		f := fields{text: true}
		f.day("Date", e.Made, iso)
		f.str("RequestPurpose", codeTypes[e.Product])
		f.amount("Amount", e.AmountPaise)
		return f.object()
	})
	return fmt.Sprintf(`{"CCRResponse":{"CIRReportDataLst":[{"InquiryResponseHeader":%s,`+
		`"CIRReportData":{"RetailAccountDetails":%s,"Enquiries":%s}}]}}`, header.object(), accounts, enquiries)
}

func renderCRIF(h *History) string {
	header := fields{}
	header.day("DATE-OF-ISSUE", h.Reported, hyphens)
	accounts := list(h.HasAccounts, h.Accounts, func(a *Account) string {
		f := fields{text: true}
		f.str("ACCT-TYPE", namedTypes[a.Product])
		f.str("OWNERSHIP-IND", []string{"Primary", "Joint Account", "Guarantor", "Supl Card Holder"}[a.Owner])
		f.day("WRITE-OFF-DATE", a.WrittenOffDay, hyphens)
		f.day("SETTLEMENT-DATE", a.SettledDay, hyphens)
		f.day("DISBURSED-DATE", a.Opened, hyphens)
		f.day("CLOSED-DATE", a.Closed, hyphens)
		f.day("DATE-REPORTED", a.Reported, hyphens)
		f.str("ACCOUNT-STATUS", map[bool]string{true: "Active", false: "Closed"}[a.Live])
		f.str("SUIT-FILED_WILFUL-DEFAULT",
			[]string{"No Suit Filed", "Suit Filed", "Wilful Default", "Suit Filed (Wilful Default)"}[a.Adverse>>2])
		f.str("WRITTEN-OFF_SETTLED-STATUS",
			[]string{"", "Written Off", "Settled", "Post Write Off Settled"}[a.Adverse&3])
		adverseAmount(&f, a, "WRITE-OFF-AMT", "SETTLEMENT-AMT")
		f.amount("DISBURSED-AMT", a.SanctionedPaise)
		f.amount("CURRENT-BAL", a.BalancePaise)
		f.amount("OVERDUE-AMT", a.OverduePaise)
		f.amount("INSTALLMENT-AMT", a.InstalmentPaise)
		var months strings.Builder
		for _, p := range a.History {
			fmt.Fprintf(&months, "%s:%d,%03d/XXX|", monthNames[p.Month%12*3:][:3], p.Month/12, p.DaysPastDue)
		}
		f.str("COMBINED-PAYMENT-HISTORY", months.String())
		return `{"LOAN-DETAILS":` + f.object() + `}`
	})
	enquiries := list(h.HasEnquiries, h.Enquiries, func(e *Enquiry) string {
		f := fields{text: true}
		f.day("INQUIRY-DATE", e.Made, hyphens)
		f.str("PURPOSE", namedTypes[e.Product])
		f.amount("AMOUNT", e.AmountPaise)
		f.str("MEMBER-NAME", "NBF")
		return f.object()
	})
	return fmt.Sprintf(`{"INDV-REPORT":{"HEADER":%s,"RESPONSES":%s,"INQUIRY-HISTORY":%s}}`,
		header.object(), accounts, enquiries)
}
