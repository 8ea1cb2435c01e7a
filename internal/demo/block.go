package demo

import (
	"cmp"
	"fmt"
	"time"
)

// products lists the products of accounts and enquiries.
var products = []string{"personal_loan", "credit_card", "consumer_loan", "two_wheeler_loan", "gold_loan", "home_loan"}

// accounts returns the applicant's loans. The first loan has the maximum days past due of the year.
// The instalments of all loans add up to the declared obligations. For a credit card, the policy
// counts a twentieth of the balance as the instalment.
func (a *applicant) accounts(now time.Time) []map[string]any {
	list := make([]map[string]any, 0, a.tradelines)
	emi := int(float64(float64(a.income)*a.foir)) / max(1, a.tradelines)
	for i := range a.tradelines {
		limit := max(20_000, emi*30/1_000*1_000)
		account := map[string]any{
			"accountType":      products[(int(a.n)+i)%len(products)],
			"status":           "active",
			"openDate":         now.AddDate(0, -7-11*i, 0).Format(time.DateOnly),
			"sanctionedAmount": limit,
			"currentBalance":   min(emi*20, limit),
			"emi":              emi,
			"amountOverdue":    0,
		}
		var history []map[string]any
		for month := 1; month <= 12; month++ {
			dpd := 0
			if i == 0 && month == 3 {
				dpd = a.dpd
			}
			history = append(history, map[string]any{"month": now.AddDate(0, -month, 0).Format("2006-01"), "dpd": dpd})
		}
		account["paymentHistory"] = history
		list = append(list, account)
	}
	return list
}

// enquired returns the enquiries about the applicant in the last half year.
func (a *applicant) enquired(now time.Time) []map[string]any {
	list := make([]map[string]any, 0, a.enquiries)
	for i := range a.enquiries {
		list = append(list, map[string]any{
			"date":    now.AddDate(0, 0, -6-(i*13+int(a.n))%160).Format(time.DateOnly),
			"product": products[(int(a.n)+2*i)%len(products)],
			"amount":  50_000 + 25_000*i,
		})
	}
	return list
}

// phones lists the phone models of applicants, besides Texts.Phone.
var phones = []string{"Redmi Note 13", "Samsung M14", "realme C53", "Pixel 7a", "vivo T2x", "iPhone 13"}

func (a *applicant) device() map[string]any {
	model := a.texts.Phone
	if i := a.n % int64(len(phones)+1); i < int64(len(phones)) {
		model = phones[i]
	}
	return map[string]any{
		"model":                     model,
		"os_version":                fmt.Sprint(11 + a.n%4),
		"is_rooted":                 a.n%41 == 0,
		"is_emulator":               a.n%173 == 0,
		"sim_age_days":              3 + a.n*37%1500,
		"loan_apps_installed_count": a.n * 5 % 9,
		"app_install_age_days":      a.n % 30,
		"device_id":                 cmp.Or(a.phone, fmt.Sprintf("dev-%06d", a.n)),
	}
}

// location returns the location block: usually at home, sometimes abroad, and
// sometimes without permission.
func (a *applicant) location() map[string]any {
	if a.n%29 == 0 {
		return map[string]any{"declared_pincode": a.home.pincode, "ip": a.ip, "permission_denied": true}
	}
	lat, lng, ip := a.home.lat, a.home.lng, a.ip
	if a.n%61 == 0 {
		lat, lng, ip = 25.2048, 55.2708, "94.200.10.10" // abroad
	}
	return map[string]any{
		"lat":               lat,
		"lng":               lng,
		"ip":                ip,
		"declared_pincode":  a.home.pincode,
		"permission_denied": false,
	}
}

func (a *applicant) fraud() map[string]any {
	block := map[string]any{
		"applicant_ref": a.ref, "pincode": a.home.pincode, "ip": a.ip, "beneficiary_account": a.account,
		"mobile": cmp.Or(a.mobile, fmt.Sprintf("98%08d", a.n*7919%100_000_000)),
		"email":  cmp.Or(a.email, fmt.Sprintf("applicant%d@mail.example", a.n)),
	}
	if a.agentID != "" {
		block["agent_id"] = a.agentID
	}
	return block
}

// statement returns the last two whole months of a bank account.
func (a *applicant) statement(now time.Time) map[string]any {
	emi := int(float64(float64(a.income)*a.foir)) / 100 * 100
	balance := 18_000 + a.income/5
	var rows []map[string]any
	row := func(date time.Time, kind, mode string, amount int, narration string) {
		if amount == 0 {
			return
		}
		if balance += amount; kind == "DEBIT" {
			balance -= 2 * amount
		}
		rows = append(rows, map[string]any{
			"txn_id":    fmt.Sprintf("T%d-%d", a.n, len(rows)),
			"date":      date.Format(time.DateOnly),
			"type":      kind,
			"mode":      mode,
			"amount":    amount,
			"balance":   balance,
			"narration": narration,
		})
	}
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	for back := 2; back >= 1; back-- {
		month := first.AddDate(0, -back, 0)
		row(month, "CREDIT", "FT", a.income, a.texts.Narration)
		row(month.AddDate(0, 0, 4), "DEBIT", "OTHERS", emi, "NACH DR LOAN EMI 00451200")
		if a.dpd > 0 {
			row(month.AddDate(0, 0, 11), "DEBIT", "OTHERS", 2_500, "ACH D- BAJAJ FINANCE LTD")
			row(month.AddDate(0, 0, 12), "CREDIT", "OTHERS", 2_500, "ACH RETURN BAJAJ FINANCE LTD INSUFFICIENT FUNDS")
		}
		row(month.AddDate(0, 0, 26), "DEBIT", "UPI", 700+int(a.n)%900, "UPI/BESCOM/electricity bill")
	}
	return map[string]any{
		"income": a.income, "emi": emi, "balance": balance, "bounces": min(1, a.dpd), "months": 2,
		"declared_monthly_income": a.income * (100 + int(a.n)%25) / 100, "declared_emi": emi, "transactions": rows,
	}
}
