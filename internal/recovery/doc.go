// Package recovery says what a lender should do next about a loan in arrears:
// which action, through which channel, in which hours, and what must be left
// alone.
//
// It reads a case (the loan, the borrower, what was tried and promised) and a
// strategy (the tenant's own stages, caps and tables) and gives advice. The
// rules that protect borrowers are not the strategy's to loosen: the hours of
// contact, the days below which nobody visits, settles or sends a notice, and
// the flags that stop everything bind whatever a tenant sets. Where the rules
// leave doubt, the advice is to hold and to ask a person.
//
// Everything is integers and calendar dates: rupees in paise, shares in
// ten-thousandths, hours in minutes of the day. The moment is an argument, and
// a borrower's zone is a fixed offset, because a table of zones is a file and
// may differ between machines. So the same case, strategy and moment give the
// same bytes.
//
// Nothing is sent from here, and nothing is stored.
package recovery
