// Package recovery advises a lender on the next action for a loan in arrears:
// which action to take, through which channel and in which hours, and when not to
// contact the borrower.
//
// It reads a case (the loan, the borrower, past contacts and promises) and a
// strategy (the stages, caps and tables of the tenant). A strategy cannot loosen
// the rules that protect borrowers. These rules are the hours of contact, the
// days past due before which there is no visit, settlement or notice, and the
// flags that stop every action. If the rules leave doubt, the advice is to hold
// and to involve a person.
//
// All values are integers and calendar dates: rupees in paise, shares in
// ten-thousandths, hours in minutes of the day. The time is an argument. A
// borrower's time zone is a fixed offset, because a time zone database may differ
// between machines. The same case, strategy and time therefore give the same
// bytes.
//
// The package sends and stores nothing.
package recovery
