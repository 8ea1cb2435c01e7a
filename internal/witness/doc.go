// Package witness implements a witness, which watches the logs of a lender from outside: it signs
// each state of a log that continues the one before (C2SP tlog-witness, tlog-cosignature),
// and audits what was added.
//
// A witness never signs two states of a log of which one does not begin with the other, so a
// lender who shows different logs to different people gets the signature for one of them
// only. The witness sets the time in its signature, so the lender cannot change it.
//
// A witness can be asked by anybody who speaks the protocol (Handler), or visit the service
// of the lender by itself (Visit).
package witness
