// Package capsule reads, writes and checks capsules. A capsule is one file with a stored
// decision and everything that a stranger needs to check it without the service: the
// facts, the policy, the answer, and the proof that the decision is in the lender's log.
//
// This package is pure, so that the same code checks a capsule on the command line and in
// a browser.
package capsule
