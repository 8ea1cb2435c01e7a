// Package space answers questions about all possible applications together. Does
// some application satisfy a condition? Does every application that satisfies one
// condition also satisfy another? Which application is an example?
//
//   - Space has the fields and the domain of each: the states that the field can
//     have in an application. Every state has a code, and a Set is a set of codes
//     of one field. Absence is a state.
//   - Box and Region are sets of applications: a Box allows each field a Set, and
//     a Region is a union of boxes.
//   - Solver turns conditions into regions, compares regions, and picks examples
//     from them. Its Budget bounds the work.
//
// Answers hold for every application within the domains of the catalogue. If sets
// cannot express a condition, or if a limit is reached, a method returns false or
// an approximation. Its comment says which.
//
// The package does not depend on policies: Params has the data of a policy that
// it needs. It does not report findings either; package analysis derives them
// from its answers. It does not evaluate conditions on the facts of one
// application; package rule does.
package space
