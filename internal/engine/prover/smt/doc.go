// Package smt writes questions about policies as SMT-LIB 2 text, which solvers such as z3 and cvc5 answer. Differ asks
// whether there is an applicant whom two policies treat differently. Violate asks whether there is an applicant for
// whom a guarantee does not hold. The answer sat means that there is one, unsat that there is none. The package shares
// no code with package prover, so that a solver can check the prover's answers.
//
// The text covers the status after Stage 1, the scorecard and the bands. Unless the application is declined, it also
// covers the grade, the final score and the interest rate. It does not cover limits, Stage 2 and the conditions of the
// offer. A fact is given or absent, and its value is within the domain of the catalogue. An applicant who is new to
// credit has no bureau score. A predicate that is not linear may hold or fail freely; Question.Free lists such
// predicates.
package smt
