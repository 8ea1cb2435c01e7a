// Package witness is the work of somebody outside who watches the logs of a lender: it signs
// each state of a log that continues the one before (C2SP tlog-witness, tlog-cosignature),
// and audits what was added.
//
// A witness never signs two states of a log of which one does not begin with the other, so a
// lender who shows different logs to different people gets the signature for one of them
// only. The time in its signature is one that the lender cannot move.
//
// A witness can be asked by anybody who speaks the protocol (Handler), or visit the service
// of the lender by itself (Visit).
package witness
