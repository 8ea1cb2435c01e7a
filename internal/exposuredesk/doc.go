// Package exposuredesk contains the use cases of exposures: the loans that the lender has made to its applicants, as
// the lender reports them. Decisions read them as facts (ADR 26).
//
// The operations, the scope that each requires, and their refusals besides insufficient_scope and unavailable:
//
//	Report     decide      Invalid with every fault, NotFound, invalid_transition, cap_reached, quota_exceeded
//	Exposures  facts:read  Invalid, invalid_cursor
//
// For other use cases:
//
//	Of         returns the exposures of a person
//	SealOlder  encrypts the exposures that were stored unencrypted
//
// An exposure is one loan. It is identified by the decision on which it was made. A loan without a decision is
// identified by its product: a person has at most one open exposure without a decision for each product.
package exposuredesk
