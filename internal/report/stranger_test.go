package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestStrangersKnowTheirOwn checks that every suggested name for a member of an
// account or an enquiry is a name that is read.
func TestStrangersKnowTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		known *memberNames
	}{{AccountNames(), accountMembers}, {EnquiryNames(), enquiryMembers}} {
		for _, name := range c.names {
			if _, ok := c.known.exact[name]; !ok {
				t.Errorf("%s is proposed and not read", name)
			}
		}
	}
}

// TestNamesAreExact checks that in the common layout a different spelling of a
// name is not read and the right name is suggested, while a bureau's own layout
// accepts many spellings.
func TestNamesAreExact(t *testing.T) {
	t.Parallel()
	nearest := func(bureau, body string) (list []string) {
		t.Helper()
		v, err := wire.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		var faults, warnings fault.List
		ReadBureau(bureau, v, today, &faults, &warnings)
		for _, it := range warnings.Items() {
			if it.Code == fault.CodeUnknownField {
				list = append(list, it.Pointer+" "+it.Nearest)
				if strings.Contains(it.Detail, "case-sensitive") != strings.EqualFold(it.Nearest,
					it.Pointer[strings.LastIndex(it.Pointer, "/")+1:]) {
					t.Errorf("%s: %s", it.Pointer, it.Detail)
				}
			}
		}
		return list
	}
	const body = `{"accounts":[{"AccountType":"personal_loan","EMI":5,"current_balance":9,"colour":1,"emi":null}],
		"enquiries":[{"date":"2026-09-03","Product":"personal_loan"}]}`
	want := []string{
		"/accounts/0/AccountType accountType", "/accounts/0/EMI emi", "/accounts/0/current_balance currentBalance",
		"/accounts/0/colour ", "/enquiries/0/Product product",
	}
	if diff := cmp.Diff(want, nearest("x", body)); diff != "" {
		t.Error(diff)
	}
	h, _, _ := readBureau(t, "x", body)
	if a := h.Accounts[0]; a.InstalmentPaise != NoAmount || a.BalancePaise != NoAmount || a.Product != OtherUnsecured {
		t.Errorf("a name in another spelling was read: %+v", a)
	}
	own := `{"CAIS_Account":{"CAIS_Account_DETAILS":[{"account_type":"05","CURRENT_BALANCE":"9","Colour":1}]}}`
	if list := nearest("experian", own); list != nil {
		t.Errorf("in a bureau's own layout %v are told", list)
	}
	if h, _, _ := readBureau(t, "experian", own); h.Accounts[0].BalancePaise != 900 ||
		h.Accounts[0].Product != PersonalLoan {
		t.Errorf("a bureau's own layout was read as %+v", h.Accounts[0])
	}
}
