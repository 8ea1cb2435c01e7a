package exposure

import (
	"errors"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Loan is the part of a reported loan that is stored encrypted.
type Loan struct {
	Product          string
	OutstandingPaise int64
	EMIPaise         int64
	DPD              int64 // days past due
}

// Encode returns the loan as it is stored, before encryption.
func (l *Loan) Encode() []byte {
	var w wire.Writer
	w.Object().Key("dpd").Int(l.DPD).Key("emi").Decimal(l.EMIPaise, 2)
	w.Key("outstanding").Decimal(l.OutstandingPaise, 2).Key("product").String(l.Product).EndObject()
	return w.Buf
}

// errLoan is the error for a stored loan that cannot be read. The error contains no value of the
// loan.
var errLoan = errors.New("a stored exposure cannot be read")

// Decode reads a loan that Encode has written.
func Decode(stored []byte) (l Loan, err error) {
	document, err := wire.Parse(stored)
	if err != nil {
		return l, errLoan
	}
	failed := false
	number := func(name string) rule.Number {
		n, exact, ok := rule.ParseNumber(document.Get(name).Text())
		failed = failed || !exact || !ok || document.Get(name).Kind() != wire.Number
		return n
	}
	l.OutstandingPaise, l.EMIPaise = number("outstanding").Paise(), number("emi").Paise()
	l.DPD = number("dpd").Floor()
	l.Product = document.Get("product").Text()
	if failed {
		return Loan{}, errLoan
	}
	return l, nil
}
