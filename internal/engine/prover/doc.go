// Package prover compares two policies for all possible applicants. Diff lists the kinds of applicants whom the two
// policies treat differently, each with an applicant whom both compiled plans have really decided, or proves that
// there are none.
//
// A policy is finite: its thresholds divide the values of each field into cells, and it treats all values of a cell
// alike. So one run over the cells covers every applicant:
//
//   - model.go turns both policies into clauses over variables. A variable is a field, or a predicate that sets cannot
//     express (a free variable, which may be true, false or unknown).
//   - cell.go divides the states of each variable into cells. Absence is a state.
//   - formula.go has the conditions, and what remains of them after some variables are known.
//   - automaton.go reads one variable after the other, breadth first. Its states are what each policy has settled so
//     far; equal states are merged. A state in which both policies have declined, or in which both must come to the
//     same end, is dropped.
//   - opening.go finds the pricing band of a score, people.go the score that counts.
//   - offer.go, cap.go and charge.go compute what the policies offer in the states that are left, and kind.go compares
//     it. The limit rises with income and falls with the FOIR, so the corners of a cell bound it.
//   - witness.go builds an applicant for each kind and lets both plans decide.
//
// Prove answers another question with the same automaton: whether a guarantee of a policy holds for all applicants.
// guarantee_never.go explores the policy together with a checker that drops everybody for whom the guarantee cannot be
// violated. guarantee_monotone.go explores the policy together with itself after the change of one field.
//
// Compared are the status and, unless the application is declined, the grade, the rate, the limit, the tenure, fee and
// charges, and the conditions of the offer. Reasons, texts and scores are not compared.
//
// A result is complete only if every applicant was covered and each listed kind has its applicant. Whatever is not
// modelled, does not fit the budget or has no applicant makes the result incomplete; it is never reported as equal.
package prover
