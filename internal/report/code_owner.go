package report

import (
	"strings"

	"verdict/internal/wire"
)

// Owner is the role of the person in an account.
type Owner uint8

// The roles. An account without a stated owner is the person's own.
const (
	Own            Owner = iota
	Joint                // owed together with others
	Guarantor            // owed by somebody else; the person owes it if the borrower defaults
	AuthorisedUser       // somebody else's card, used with an add-on card
)

// Owes reports whether the person is a borrower of the account.
func (o Owner) Owes() bool { return o == Own || o == Joint }

// holderCodes maps the codes of account holder types that most bureaus use. The
// letter Z, for a deceased holder, is in ownWords.
var holderCodes = map[int]Owner{1: Own, 2: Joint, 3: AuthorisedUser, 7: Guarantor}

// cibilHolderCodes maps CIBIL's own codes, in which 2, 3 and 4 have another
// meaning. 5 is a deceased holder.
var cibilHolderCodes = map[int]Owner{1: Own, 2: AuthorisedUser, 3: Guarantor, 4: Joint, 5: Own}

// ownerWords maps parts of squashed words to owners. The first match counts: a
// joint guarantor is a guarantor.
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

// ownWords are squashed words for an account of the person's own.
var ownWords = map[string]bool{
	"individual": true, "own": true, "owner": true, "self": true, "single": true, "sole": true, "soleowner": true,
	"primary": true, "primaryholder": true, "primaryborrower": true, "principal": true, "borrower": true,
	"mainborrower": true, "mainholder": true, "proprietor": true, "soleproprietor": true, "soleproprietorship": true,
	"deceased": true, "z": true,
}

// owner reads the owner of an account. If the owner is missing or unknown, the account counts as the person's own:
// without the account, the person would look less indebted.
func (r *bureauReader) owner(v wire.Value) Owner {
	if r.scalar.saysNothing(v) {
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

// cibilDeceased is CIBIL's code for a deceased holder.
const cibilDeceased = 5

// isDeceased reports whether a holder type says that the holder has died.
func isDeceased(text string, ofCIBIL bool) bool {
	text = strings.TrimSpace(text)
	if code, ok := codeOf(text); ok {
		return ofCIBIL && code == cibilDeceased
	}
	return strings.EqualFold(text, "z") || strings.EqualFold(text, "deceased")
}

// ownerOf returns the owner for a code from codes, or for a name. It returns
// false if neither is known.
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
