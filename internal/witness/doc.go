// Package witness implements a witness, which watches the logs of a lender from outside: it signs each state of a
// log that continues the previous state (C2SP tlog-witness, tlog-cosignature), and audits the entries that were
// added.
//
// If a witness signs two states of a log, one of them begins with the other. So a lender who shows
// different logs to different people gets the signature for only one of them. The witness sets the
// time in its signature, so the lender cannot change it.
//
// Anybody who speaks the protocol can ask a witness for a signature (Handler). A witness can also
// fetch the state of a log from the service of the lender (Visit).
package witness
