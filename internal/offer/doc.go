// Package offer makes the documents that a borrower gets: the key facts statement of an offer, which the Reserve Bank
// of India has required since 1 October 2024, and the letter about a decline or a counter-offer. It also contains the
// profile of the lender, whose names and terms the documents state.
//
// The numbers come from the stored decision, and are not priced again. The words come from one file for each language
// in the folder language; a further language needs a further file, and no code. A document is a Go value, which can
// be written as JSON or as an HTML page that can be printed.
package offer
