// Package evidence is what a stranger needs to check a decision: the leaves of the
// log, checkpoints of its size and root, and proofs that a leaf is in it.
//
// A log is the list of leaves of one tenant in one environment, hashed as a Merkle
// tree (RFC 6962). A checkpoint is the signed statement that the tree had a size and a
// root (C2SP tlog-checkpoint). A proof shows that a leaf stands at an index of the
// tree of a checkpoint (C2SP tlog-proof). Storing the leaves and signing are done
// elsewhere; everything here is pure, so the same code checks a proof in the service,
// on the command line and in a browser.
package evidence
