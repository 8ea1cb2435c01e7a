// Package exposure derives facts from the earlier decisions of a lender about a person and from the loans that the
// lender has reported. It also encodes the part of a loan that is stored encrypted. It reads no storage and has no
// clock (ADR 26).
package exposure
