// Package place looks up the area of an Indian pincode and the country of an IP
// address, both in tables embedded in the binary. It does not judge what a place
// means for a loan.
//
// Lookups never guess: a pincode or an address that the tables do not contain is
// reported as unknown. The tables are made manually with the program in
// the folder generate, not by the build. Sources lists the sources of the tables.
package place
