// Package prover compares two policies for all possible applicants. Diff lists the kinds of applicants whom the two
// policies treat differently, or proves that there are none. Each kind has an example: an applicant whom both compiled
// plans have really decided.
//
// A policy is finite: its thresholds divide the values of each field into cells, and it treats all values of a cell
// alike. So one run over the cells covers every applicant:
//
//   - model.go turns both policies into clauses over variables. A variable is a field, or a predicate that sets cannot
//     express (a free variable, which may be true, false or unknown).
//   - impossible.go adds clauses that exclude combinations of facts that no applicant has.
//   - cell.go divides the states of each variable into cells. Absence is a state.
//   - formula.go has the conditions, and computes what remains of a condition after some variables are known.
//   - automaton.go reads one variable after the other, breadth first. A state says what each policy has settled so far;
//     equal states are merged. A state is dropped if both policies have declined, or if both must come to the same
//     decision.
//   - opening.go finds the pricing band of a score, and people.go finds the score that counts.
//   - offer.go, cap.go and charge.go compute the offers of the policies in the states that are left, and kind.go
//     compares the offers. The limit rises with income and falls with the FOIR, so the corners of a cell bound it.
//   - witness.go builds an applicant for each kind and lets both plans decide.
//
// Prove answers another question with the same automaton: whether a guarantee of a policy holds for all applicants.
// guarantee_never.go explores the policy together with a checker that drops everybody for whom the guarantee cannot be
// violated. guarantee_monotone.go explores the policy together with itself after the change of one field.
//
// The comparison covers the status and, unless the application is declined, the grade, the rate, the limit, the tenure,
// fee and charges, and the conditions of the offer. It does not cover reasons, texts and scores.
//
// A result is complete only if every applicant was covered and each listed kind has its applicant. It is incomplete if
// a policy has a part that is not modelled, if the work exceeds the budget, or if a kind has no applicant. Policies are
// never reported as equal if the result is incomplete.
package prover
