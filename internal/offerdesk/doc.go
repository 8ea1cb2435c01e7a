// Package offerdesk contains the use cases of the documents that a borrower gets: the key facts statement of an offer,
// the letter about a decline or a counter-offer, and the profile of the lender that both state (ADR 31).
//
// The operations, the scope that each requires, and their refusals besides insufficient_scope and unavailable:
//
//	Profile         read          NotFound
//	ReplaceProfile  policy:write  Invalid, precondition_failed
//	KFS             read          NotFound, erased, no_offer, lender_profile_missing, offer_expired, Invalid
//	Letter          read          NotFound, erased, no_letter, lender_profile_missing, offer_expired
//
// For other use cases:
//
//	Version         returns the version of the profile that a new decision is stored with
package offerdesk
