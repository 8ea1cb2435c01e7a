// Package space answers questions about all applications together: whether some
// application satisfies a condition, whether every application that satisfies one
// condition satisfies another, and which application is an example.
//
//   - Space has the fields and the domain of each: the states that the field can
//     have in an application. Every state has a code, and a Set is a set of codes
//     of one field. Absence is a state.
//   - Box and Region are sets of applications: a Box allows each field a Set, and
//     a Region is a union of boxes.
//   - Solver turns conditions into regions, compares regions, and picks examples
//     from them. Its Budget bounds the work.
//
// Answers hold for every application within the domains of the catalogue. If a
// condition cannot be expressed by sets, or a limit is reached, the Solver says
// so, or errs on the side that its comment names; it never guesses.
//
// The package does not know policies: what it needs of one is in Params. It
// reports nothing about them either; package analysis turns answers into
// findings. It does not evaluate conditions on the facts of one application,
// which is the work of package rule.
package space
