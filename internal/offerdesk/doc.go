// Package offerdesk contains the use cases of the documents that a borrower gets: the key facts statement of an offer,
// the letter about a decline or a counter-offer, and the profile of the lender that both state (ADR 31).
//
// The operations, the scope that each requires, and their refusals besides insufficient_scope and unavailable:
//
//	Profile         read          NotFound
//	ReplaceProfile  policy:write  Invalid, precondition_failed, cap_reached
//	KFS             read          NotFound, erased, no_offer, lender_profile_missing, offer_expired, offer_replaced,
//	                              Invalid
//	Letter          read          NotFound, erased, no_letter, lender_profile_missing, offer_expired, offer_replaced,
//	                              Invalid
//	State           read          NotFound
//	ValidUntil      read          NotFound
//
// For other use cases:
//
//	Version         returns the version of the profile that a new decision is stored with
//	AddTerms        looks up how long an offer can be accepted
//	Replaced        reports whether a later offer has ended the offer of a decision
//	Calendar        returns the working days that determine how long an offer can be accepted
package offerdesk
