// Package evidence contains the types and functions with which an outsider can check a
// decision: the leaves of the log, checkpoints of its size and root, and proofs that a
// leaf is in the log.
//
// A log is the list of leaves of one tenant in one environment, hashed as a Merkle
// tree (RFC 6962). A checkpoint is a signed statement of the size and the root of the
// tree (C2SP tlog-checkpoint). A proof shows that a leaf is at an index of the tree of
// a checkpoint (C2SP tlog-proof).
//
// Other packages store the leaves and sign checkpoints. This package is pure, so the
// same code checks a proof in the service, on the command line and in a browser.
package evidence
