package offer

import (
	"cmp"

	"verdict/internal/civil"
	"verdict/internal/loan"
)

// Profile is the data about the lender that the documents state.
type Profile struct {
	Name           string
	Address        string
	Registration   string // the registration with the regulator; "" for none
	Website        string // "" for none
	CoolingOffDays int
	Transferable   bool // the loan may be transferred to another lender or securitised
	Grievance      Contact
	RecoveryAgents []Contact
	Collaboration  *Collaboration // nil unless two lenders fund the loan together
	Holidays       []civil.Day    // ascending; days that are not working days, besides Sundays
	Texts          map[string]Texts
}

// Contact is a person or an office that the borrower can reach.
type Contact struct {
	Name    string
	Phone   string
	Email   string
	Address string // "" for none
}

// Collaboration says how two lenders fund a loan together.
type Collaboration struct {
	Originator, Partner Share
	BlendedRateBP       int64 // hundredths of a percent; 0 if it is not stated
}

// Share is the part of a loan that a lender funds.
type Share struct {
	Name    string
	ShareBP int64 // hundredths of a percent
}

// Texts are the lender's own words in one language. If a text is "", documents use the text in the catalogue of the
// language.
type Texts struct {
	Name, Address    string // in the script of the language
	GrievanceName    string // the name or the title of the officer for complaints
	GrievanceAddress string
	LoanType         string
	LoanTypes        map[string]string // the types of loans, by policy key; LoanType applies to all other policies
	Terms            map[string]string // by the name of the member, one of termNames
	Note             string            // at the end of each document
	Charges          map[string]string // the names of charges, by id
	Reasons          map[string]string // the texts of reasons, by code
	Details          map[string]string // the names of details of an application, by field
}

// termNames are the members of a language's texts that state a term of the loan.
var termNames = []string{
	"penal_charges", "other_penal_charges", "foreclosure_charges", "switching_charges", "other_charges",
	"recovery_clause", "grievance_clause",
}

// The bounds of a profile. Lengths are in bytes.
const (
	maxName        = 200
	maxText        = 2_000
	maxContacts    = 50
	maxHolidays    = 400
	maxNamed       = 200
	maxCoolingDays = 60

	// MaxProfile is the maximum size of a profile as JSON, in bytes.
	MaxProfile = 256 << 10
)

// Calendar returns the days on which the lender works, which determine how long offers can be accepted.
func (p *Profile) Calendar() *loan.Calendar { return &loan.Calendar{Holidays: p.Holidays} }

// in returns the lender's texts in a language.
func (p *Profile) in(l *Language) Texts { return p.Texts[l.Tag] }

// loanType returns the type of a loan that a policy decided: the lender's text for the policy or for all policies,
// otherwise that of the catalogue.
func (p *Profile) loanType(l *Language, policyKey string) string {
	texts := p.in(l)
	return cmp.Or(texts.LoanTypes[policyKey], texts.LoanType, l.Text("term.loan_type"))
}

// term returns a term of the loan in a language: the lender's text, otherwise that of the catalogue. The catalogue
// never says that there are no charges, because a lender may have stated the charges only in another language.
func (p *Profile) term(l *Language, name string) string {
	if text := p.in(l).Terms[name]; text != "" {
		return text
	}
	return l.Text("term." + name)
}

// name and address return the lender's name and address, in the script of the language if the profile has them.
func (p *Profile) name(l *Language) string {
	if name := p.in(l).Name; name != "" {
		return name
	}
	return p.Name
}

func (p *Profile) address(l *Language) string {
	if address := p.in(l).Address; address != "" {
		return address
	}
	return p.Address
}

// officer returns the officer for complaints, with name and address in the script of the language if the profile has
// them.
func (p *Profile) officer(l *Language) Contact {
	officer, texts := p.Grievance, p.in(l)
	officer.Name = cmp.Or(texts.GrievanceName, officer.Name)
	officer.Address = cmp.Or(texts.GrievanceAddress, officer.Address)
	return officer
}
