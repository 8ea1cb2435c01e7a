package report

import (
	"strings"

	"verdict/internal/wire"
)

// accountType is one account type of the list that the four bureaus share, with
// its code and its squashed names.
type accountType struct {
	code    int
	product Product
	names   []string
}

// noCode marks a type that has only names.
const noCode = -1

// accountTypes is the list of account types. Kisan credit cards and loans on a
// credit card do not count as cards; a card secured by a deposit does.
var accountTypes = []accountType{
	{0, OtherUnsecured, []string{"other", "others", "unsecured", "unsecuredloan", "otherunsecured"}},
	{1, VehicleLoan, []string{"autoloan", "autoloanpersonal", "vehicleloan", "carloan", "vehicle"}},
	{2, HomeLoan, []string{"housingloan", "homeloan"}},
	{3, HomeLoan, []string{"propertyloan", "loanagainstproperty", "lap", "mortgageloan"}},
	{4, OtherSecured, []string{"loanagainstsharessecurities", "loanagainstshares", "loanagainstsecurities"}},
	{5, PersonalLoan, []string{"personalloan", "smallticketloan"}},
	{6, ConsumerLoan, []string{"consumerloan", "consumerdurableloan", "consumerdurable"}},
	{7, GoldLoan, []string{"goldloan"}},
	{8, OtherUnsecured, []string{"educationloan", "educationalloan"}},
	{9, OtherUnsecured, []string{"loantoprofessional", "professionalloan"}},
	{10, CreditCard, []string{"creditcard", "card"}},
	{11, OtherSecured, []string{"leasing", "lease"}},
	{12, OtherUnsecured, []string{"overdraft", "odonsavingsaccount"}},
	{13, VehicleLoan, []string{"twowheelerloan", "twowheeler", "twothreewheelerloan"}},
	{14, OtherUnsecured, []string{"nonfundedcreditfacility"}},
	{15, OtherSecured,
		[]string{"loanagainstbankdeposits", "loanagainstdeposits", "secured", "securedloan", "othersecured"}},
	{16, OtherUnsecured, []string{"fleetcard"}},
	{17, VehicleLoan, []string{"commercialvehicleloan", "commercialvehicleloans"}},
	{18, OtherUnsecured, []string{"telcowireless"}},
	{19, OtherUnsecured, []string{"telcobroadband"}},
	{20, OtherUnsecured, []string{"telcolandline"}},
	{21, OtherUnsecured, []string{"sellerfinancing"}},
	{23, BusinessLoanSecured, []string{"geclsecured", "geclloansecured"}},
	{24, BusinessLoan, []string{"geclunsecured", "geclloanunsecured"}},
	{31, CreditCard, []string{"securedcreditcard"}},
	{32, VehicleLoan, []string{"usedcarloan"}},
	{33, OtherSecured, []string{"constructionequipmentloan"}},
	{34, VehicleLoan, []string{"tractorloan"}},
	{35, CreditCard, []string{"corporatecreditcard"}},
	{36, OtherUnsecured, []string{"kisancreditcard", "kcc"}},
	{37, OtherUnsecured, []string{"loanoncreditcard"}},
	{38, OtherUnsecured, []string{"primeministerjaandhanyojanaoverdraft", "pmjdyoverdraft"}},
	{39, BusinessLoan, []string{"mudraloansshishukishortarun", "mudraloan", "mudraloans"}},
	{40, BusinessLoan, []string{"microfinancebusinessloan"}},
	{41, PersonalLoan, []string{"microfinancepersonalloan"}},
	{42, HomeLoan, []string{"microfinancehousingloan"}},
	{43, OtherUnsecured, []string{
		"microfinanceothers", "microfinance", "microfinanceloan", "jlgindividual", "jlggroup", "shgindividual",
		"shggroup",
	}},
	{44, HomeLoan, []string{
		"pradhanmantriawasyojanacreditlinksubsidyschememayclss", "pradhanmantriawasyojanaclss", "pmayloan",
	}},
	{45, PersonalLoan, []string{"p2ppersonalloan"}},
	{46, VehicleLoan, []string{"p2pautoloan"}},
	{47, OtherUnsecured, []string{"p2peducationloan"}},
	{50, BusinessLoanSecured, []string{"businessloansecured", "securedbusinessloan"}},
	{51, BusinessLoan, []string{"businessloangeneral", "businessloan", "workingcapitalloan"}},
	{52, BusinessLoan, []string{"businessloanprioritysectorsmallbusiness"}},
	{53, BusinessLoan, []string{"businessloanprioritysectoragriculture"}},
	{54, BusinessLoan, []string{"businessloanprioritysectorothers"}},
	{55, BusinessLoan, []string{"businessnonfundedcreditfacilitygeneral"}},
	{56, BusinessLoan, []string{"businessnonfundedcreditfacilityprioritysectorsmallbusiness"}},
	{57, BusinessLoan, []string{"businessnonfundedcreditfacilityprioritysectoragriculture"}},
	{58, BusinessLoan, []string{"businessnonfundedcreditfacilityprioritysectorothers"}},
	{59, BusinessLoanSecured, []string{"businessloanagainstbankdeposits", "businessloansagainstbankdeposits"}},
	{60, OtherUnsecured, []string{"staffloan"}},
	{61, BusinessLoan, []string{"businessloanunsecured"}},
	{69, PersonalLoan, []string{"shorttermpersonalloan", "shorttermpersonalloanunsecured"}},
	{70, GoldLoan, []string{"prioritysectorgoldloan", "prioritysectorgoldloansecured"}},
	{71, OtherUnsecured, []string{"temporaryoverdraft", "temporaryoverdraftunsecured"}},
	{noCode, OtherUnsecured, []string{"agricultureloan", "agriculturalloan", "telecom", "creditreview"}},
	{noCode, OtherSecured, []string{"loanagainstcollateral"}},
}

var (
	productsByCode = func() map[int]Product {
		m := map[int]Product{}
		for _, t := range accountTypes {
			if t.code != noCode {
				m[t.code] = t.product
			}
		}
		return m
	}()
	productsByName = func() map[string]Product {
		m := map[string]Product{}
		for _, t := range accountTypes {
			for _, name := range t.names {
				m[name] = t.product
			}
		}
		return m
	}()
)

// enquiryReasons maps Experian's own codes of enquiry purposes.
var enquiryReasons = map[int]Product{
	1: OtherUnsecured, 2: VehicleLoan, 3: BusinessLoan, 4: VehicleLoan, 5: OtherSecured, 6: ConsumerLoan,
	7: CreditCard, 8: OtherUnsecured, 9: OtherSecured, 10: OtherSecured, 11: OtherUnsecured,
	12: OtherUnsecured, 13: PersonalLoan, 14: HomeLoan, 15: OtherUnsecured, 16: VehicleLoan,
	17: BusinessLoan, 18: ConsumerLoan, 19: OtherUnsecured, 99: OtherUnsecured,
}

// productOf returns the product for a code from codes, or for a name. It returns
// false if neither is known.
func productOf(text string, codes map[int]Product) (Product, bool) {
	if code, ok := codeOf(text); ok {
		p, known := codes[code]
		return p, known
	}
	var buf [maxName]byte
	p, known := productsByName[string(squash(buf[:0], text))]
	return p, known
}

// The range of codes of microfinance types.
const firstMicrofinanceType, lastMicrofinanceType = 40, 43

// isMicrofinance reports whether an account type is a type of microfinance.
func isMicrofinance(v wire.Value) bool {
	if v.Kind() != wire.String && v.Kind() != wire.Number {
		return false
	}
	text := strings.TrimSpace(v.Text())
	if code, ok := codeOf(text); ok {
		return firstMicrofinanceType <= code && code <= lastMicrofinanceType
	}
	var buf [maxName]byte
	name := string(squash(buf[:0], text))
	return strings.HasPrefix(name, "microfinance") || strings.HasPrefix(name, "jlg") || strings.HasPrefix(name, "shg")
}

// codeOf parses a code of up to three digits; 5 and 05 are the same.
func codeOf(text string) (int, bool) {
	if len(text) > 3 || !isDigits(text) {
		return 0, false
	}
	return atoi(text), true
}

// maxName is the maximum length of a squashed name; all known names are
// shorter.
const maxName = 96

// squash appends the letters and digits of a name in lower case: the squashed
// form of the name. So Open_Date, openDate and OPEN-DATE are one name. squash
// truncates names at maxName; a truncated name is too long to match a known name.
func squash(dst []byte, name string) []byte {
	for i := range len(name) {
		c, ok := alphanumeric(name[i])
		if !ok {
			continue
		}
		if len(dst) == maxName {
			return dst
		}
		dst = append(dst, c)
	}
	return dst
}

// alphanumeric returns an ASCII letter in lower case, or a digit. ok is false for
// any other byte.
func alphanumeric(c byte) (lower byte, ok bool) {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A', true
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return c, true
	}
	return 0, false
}
