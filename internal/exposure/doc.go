// Package exposure derives facts from what a lender decided for a person before and from the loans that the lender has
// reported. It also encodes the part of a loan that is stored encrypted. It reads no storage and has no clock
// (ADR 26).
package exposure
