package report

import (
	"strings"

	"verdict/internal/wire"
)

// Owner is the part that the person of a report has in an account.
type Owner uint8

// The parts. An account whose owner is not told is the person's own.
const (
	Own            Owner = iota
	Joint                // owed together with others
	Guarantor            // owed by somebody else, who may fail
	AuthorisedUser       // somebody else's card, used with an add-on card
)

// Owes reports whether the person is a borrower of the account.
func (o Owner) Owes() bool { return o == Own || o == Joint }

// holderCodes is the list of account holder types. Z, a holder who has died, is
// read with the words.
var holderCodes = map[int]Owner{1: Own, 2: Joint, 3: AuthorisedUser, 7: Guarantor}

// cibilHolderCodes is CIBIL's own list, in which 2, 3 and 4 mean something else.
// 5 is a holder who has died.
var cibilHolderCodes = map[int]Owner{1: Own, 2: AuthorisedUser, 3: Guarantor, 4: Joint, 5: Own}

// ownerWords are the parts of words by which an owner is understood, squashed,
// in the order in which they are looked for: a joint guarantor is a guarantor.
var ownerWords = []struct {
	owner Owner
	part  string
}{
	{Guarantor, "guarant"},
	{AuthorisedUser, "authorisedus"},
	{AuthorisedUser, "authorizedus"},
	{AuthorisedUser, "addon"},
	{AuthorisedUser, "suppl"},
	{AuthorisedUser, "suplcard"},
	{Joint, "joint"},
	{Joint, "coborrower"},
	{Joint, "coapplicant"},
	{Joint, "coowner"},
}

// ownWords are the names of an account that is the person's own, squashed.
var ownWords = map[string]bool{
	"individual": true, "own": true, "owner": true, "self": true, "single": true, "sole": true, "soleowner": true,
	"primary": true, "primaryholder": true, "primaryborrower": true, "principal": true, "borrower": true,
	"mainborrower": true, "mainholder": true, "proprietor": true, "soleproprietor": true, "soleproprietorship": true,
	"deceased": true, "z": true,
}

// owner reads whose account it is. An account whose owner is not told, or told
// in words that are not known, is the person's own: left out, its instalments
// would make the person look less indebted.
func (r *bureauReader) owner(v wire.Value) Owner {
	if r.saysNothing(v) {
		return Own
	}
	if v.Kind() == wire.String || v.Kind() == wire.Number {
		codes := holderCodes
		if r.layout == &cibil {
			codes = cibilHolderCodes
		}
		if o, known := ownerOf(strings.TrimSpace(v.Text()), codes); known {
			if isDeceased(v.Text(), r.layout == &cibil) {
				r.notes.add(holderDeceased, v)
			}
			return o
		}
	}
	r.notes.add(unknownOwner, v)
	return Own
}

// cibilDeceased is CIBIL's code of a holder who has died.
const cibilDeceased = 5

// isDeceased reports whether a holder has died.
func isDeceased(text string, ofCIBIL bool) bool {
	text = strings.TrimSpace(text)
	if code, ok := codeOf(text); ok {
		return ofCIBIL && code == cibilDeceased
	}
	return strings.EqualFold(text, "z") || strings.EqualFold(text, "deceased")
}

// ownerOf finds an owner by code, from the list given, or by name.
func ownerOf(text string, codes map[int]Owner) (Owner, bool) {
	if code, ok := codeOf(text); ok {
		o, known := codes[code]
		return o, known
	}
	var buf [maxName]byte
	squashed := string(squash(buf[:0], text))
	for _, w := range ownerWords {
		if strings.Contains(squashed, w.part) {
			return w.owner, true
		}
	}
	return Own, ownWords[squashed]
}
