// Package smt writes questions about policies as SMT-LIB 2 text, which solvers such as z3 and cvc5 answer. Differ asks
// whether there is an applicant whom two policies treat differently, Violate whether there is one for whom a guarantee
// does not hold: sat means that there is one, unsat that there is none. The package shares no code with package prover,
// so that a solver can check the prover's answers.
//
// The text covers the status by Stage 1, the scorecard and the bands, and, unless the application is declined, the
// grade, the final score and the interest rate. It does not cover limits, Stage 2 and the conditions of the offer.
// Facts are given or not, and within the domains of the catalogue. Who is new to credit has no bureau score. A
// predicate that is not linear may hold or fail freely; Question.Free lists such predicates.
package smt
