// Package smt writes the question "is there an applicant whom two policies treat differently?" as SMT-LIB 2 text, which
// solvers such as z3 and cvc5 answer: sat means that there is one, unsat that there is none. It shares no code with
// package prover, so that a solver can check the prover's answers.
//
// The text covers the status by Stage 1, the scorecard and the bands, and, if neither policy declines, the grade and
// the interest rate. It does not cover limits, Stage 2 and the conditions of the offer. Facts are given or not, and
// within the domains of the catalogue. Who is new to credit has no bureau score. A predicate that is not linear may
// hold or fail freely; Question.Free lists such predicates.
package smt
