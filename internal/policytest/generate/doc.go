// Package generate writes test cases for a policy: a small set of applications
// that covers every rule, bin, band and boundary both ways.
//
// # What is covered
//
// The goals follow from the policy, and each of them must be reached by at least one application. A rule must hit,
// give the status alone, not hit, and be left unevaluated, each in some application. Every comparison must decide
// its rule both ways, at its threshold and at the nearest value on the other side. Every value of a set, every bin
// with both ends, a missing field, every band with both ends, and every reason code of the score must occur. In
// every priced band each tenure, each bound of the limit, the smallest limit and both kinds of fee must occur. A
// band with a condition must apply and not apply. A limit cap must bind, apply without binding, leave too little,
// and be impossible to compute. A charge must be equal to its minimum, equal to its maximum, and a share between
// the two, each in some application. Coverage measures which goals an application reaches, from the facts that the
// engine read and from its decision. A goal counts only if the decision shows it: changing the part of the policy
// that the goal belongs to would change a part of the decision that the case compares.
//
// # How applications are found
//
// The members that a request may have, and which fact each of them gives, are found
// by reading small requests. The values of a member are the thresholds of its fact
// with their neighbours. For a field from which a limit cap is computed, they are the
// values that give the limits of the bands. The search starts from the best
// applicant, from an applicant at both ends of each band, and from the examples that
// engine/space gives for each condition and for its negation. It changes one member
// at a time to each of its values, and then two or three members at random for the
// goals that are left. The random numbers have a fixed seed, so that the same policy
// gives the same cases. A greedy cover selects the cases.
//
// A goal that is not reached is reported with the reason: a fact that no request
// gives, a condition that no application satisfies, or a search without result.
package generate
