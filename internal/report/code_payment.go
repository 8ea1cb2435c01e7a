package report

import "strings"

// Days past due for payment codes that state only an asset class. The days are
// the fewest at which lenders report the class.
const (
	smaDays         = 31
	substandardDays = 91
	doubtfulDays    = 180
	lossDays        = 360
	firstDefault    = 31 // the first instalment was not paid
)

// maxDays is the maximum of days past due in one month.
const maxDays = 9999

// cell is the content of one month of a payment history.
type cell struct {
	days int16    // days past due; valid only if said is true
	said bool     // the month was reported
	note standing // the adverse notes that the month states about the account itself
}

func late(days int16) cell { return cell{days: days, said: true} }

// profileCells maps the characters of Experian's Payment_History_Profile. A
// character for a range of days counts as the fewest days of the range.
var profileCells = map[byte]cell{
	'0': late(0), '1': late(30), '2': late(60), '3': late(90), '4': late(120), '5': late(150), '6': late(180),
	'S': late(0), 'M': late(smaDays), 'B': late(substandardDays), 'D': late(doubtfulDays), 'L': late(lossDays),
	'N': {}, '?': {}, ' ': {},
}

// wordCells maps the codes of several letters that CIBIL, Equifax and CRIF use.
var wordCells = map[string]cell{
	"STD": late(0), "SMA": late(smaDays), "SUB": late(substandardDays), "DBT": late(doubtfulDays),
	"LSS": late(lossDays), "LOSS": late(lossDays), "NPA": late(substandardDays),
	"SMA0": late(1), "SMA1": late(31), "SMA2": late(61),
	"DBT1": late(doubtfulDays), "DBT2": late(doubtfulDays), "DBT3": late(doubtfulDays),
	"FPD": late(firstDefault),
	"XXX": {}, "DDD": {}, "*": {}, "": {}, "---": {}, "NEW": {}, "OPN": {}, "OPEN": {}, "CLSD": {},
	"RES": {}, "RGM": {}, "RNC": {}, "RCV": {}, "INV": {}, "DEV": {}, "NA": {},
	"SET":  {note: equifaxCodes["set"]},
	"WOF":  {note: equifaxCodes["wof"]},
	"PWOS": {note: equifaxCodes["pwos"]},
}

// readCell reads a cell of several characters, such as 000, 045, 31+, 1045 or SUB. Four digits are a 1 followed by the
// days, as Equifax writes them. readCell returns false for an unknown cell.
func readCell(text string) (cell, bool) {
	if len(text) == 3 && isDigits(text) { // the usual case
		return late(int16(atoi(text))), true
	}
	text = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	digits := strings.TrimSuffix(text, "+")
	switch {
	case !isDigits(digits) || len(digits) > 4:
		c, ok := wordCells[text]
		return c, ok
	case len(digits) == 4 && digits != text:
		return cell{}, false
	case len(digits) == 4:
		return late(int16(atoi(digits[1:]))), digits[0] == '1'
	}
	return late(int16(atoi(digits))), true
}

// readAssetClass reads an asset class of Experian or Equifax.
func readAssetClass(text string) (cell, bool) {
	if len(text) == 1 {
		c, ok := profileCells[text[0]]
		return c, ok
	}
	return readCell(text)
}
