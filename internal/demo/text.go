package demo

import "cmp"

// Texts holds the texts that users and applicants write: names, notes, the model of a phone. Every empty field except
// Reference gets a realistic default. Tests use hostile texts, to check that the console treats them only as text.
type Texts struct {
	OrgName    string // name of the tenant
	PolicyName string // name of the draft
	Message    string // message of a rule, for the lender
	KeyName    string // name of an API key
	Browser    string // user agent with which somebody signs in
	Note       string // note of a review and of a closed alert
	Narration  string // narration of the salary in a bank statement
	Phone      string // the model of some applicants' phones
	Purpose    string // purpose of some loans
	Reason     string // reason for the risk of a pincode
	Branch     string // branch of some of last year's loans
	Reference  string // reference of a few applicants
}

// withDefaults sets the default of each empty field. Reference has no default: if
// it is empty, applicants keep their own references.
func (t Texts) withDefaults() Texts {
	return Texts{
		OrgName:    cmp.Or(t.OrgName, "Kaveri Capital"),
		PolicyName: cmp.Or(t.PolicyName, "Personal loan 2.2: festive season"),
		Message:    cmp.Or(t.Message, "The phone is rooted: ask for another one"),
		KeyName:    cmp.Or(t.KeyName, "Branch app"),
		Browser: cmp.Or(t.Browser,
			"Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140 Mobile Safari/537.36"),
		Note:      cmp.Or(t.Note, "Called twice; the employer does not know the applicant."),
		Narration: cmp.Or(t.Narration, "NEFT SALARY SHARADA INFOTECH LTD"),
		Phone:     cmp.Or(t.Phone, "Moto G54"),
		Purpose:   cmp.Or(t.Purpose, "wedding"),
		Reason:    cmp.Or(t.Reason, "many applications since Diwali"),
		Branch:    cmp.Or(t.Branch, "Lucknow"),
		Reference: t.Reference,
	}
}
