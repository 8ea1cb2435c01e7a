// Package place knows where things are: the area of an Indian pincode and the
// country of an internet address, both from tables inside the binary. It says
// what lies where and nothing about what that means for a loan.
//
// Unknown is an answer of its own, never a guess: a pincode that is in no
// directory and an address that belongs to no country are reported as such.
// The tables are made by hand with the program in generate, never by the
// build; Sources names where they come from.
package place
