package offerdesk

import (
	"time"

	"verdict/internal/fault"
	"verdict/internal/offer"
)

// noOffer returns the refusal of a request for a key facts statement if the decision has no approved offer. It
// says how the decision ended, and what to ask for instead.
func noOffer(d *offer.Decided) error {
	detail := "this decision still waits for a person; it has a key facts statement once a review approves it"
	switch {
	case d.DeclinedByPerson():
		detail = "a person has declined this application, so there is no key facts statement; ask for its letter"
	case d.Declined:
		detail = "this decision is a decline, so there is no key facts statement; ask for its letter"
	case d.Approved:
		detail = withoutOffer
	}
	return fault.New(fault.Conflict, fault.CodeNoOffer, "%s", detail)
}

// withoutOffer is the detail for a review that approved what the policy declined. The stored decision has no
// offer.
const withoutOffer = "a person has approved what the policy declined, so this decision has no offer; " +
	"decide the application again with other details, or under another policy"

// noLetter returns the refusal of a request for a letter if the decision has none.
func noLetter(d *offer.Decided) error {
	detail := "this decision still waits for a person, so there is no letter yet"
	switch {
	case d.HasOffer():
		detail = "this decision offers what was asked for, so there is no letter; ask for its key facts statement"
	case d.Approved:
		detail = withoutOffer
	}
	return fault.New(fault.Conflict, fault.CodeNoLetter, "%s", detail)
}

// expired returns the refusal of a request for a document if the offer has ended. The given time is the last
// second in which the offer could be accepted.
func expired(until time.Time) error {
	return fault.New(fault.Gone, fault.CodeOfferExpired,
		"the offer could be accepted until %s; decide the application again", until.UTC().Format(time.RFC3339))
}
