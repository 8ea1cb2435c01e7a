package report

import (
	"strings"
	"time"

	"verdict/internal/civil"
)

// dateForm is the format of a date.
type dateForm uint8

const (
	noDate     dateForm = iota
	isoDate             // 2026-11-15, with or without a time of day
	joinedDate          // 20261115
	dayFirst            // 15-11-2026, 15/11/2026 or 15112026
	zeroDate            // 00000000, which bureaus write for no date
)

// The range of years accepted in a credit report.
const (
	firstYear = 1900
	lastYear  = 2100
)

// parseDate parses a date in any format that Indian bureaus use.
//
// Eight digits are never ambiguous. In the order day, month, year, the last four digits are a year from 1900 to 2100.
// In the order year, month, day, the same digits would begin with the month 19, 20 or 21, which does not exist.
func parseDate(s string) (civil.Day, dateForm) {
	s = strings.TrimSpace(s)
	switch {
	case isZeroDate(s):
		return civil.NoDay, zeroDate
	case len(s) == 8 && isDigits(s):
		if d := dayOf(s[:4], s[4:6], s[6:]); d.Known() {
			return d, joinedDate
		}
		if d := dayOf(s[4:], s[2:4], s[:2]); d.Known() {
			return d, dayFirst
		}
	case len(s) == 10 && s[2] == s[5] && (s[2] == '-' || s[2] == '/'):
		if d := dayOf(s[6:], s[3:5], s[:2]); d.Known() {
			return d, dayFirst
		}
	case len(s) >= 10 && s[4] == '-' && s[7] == '-':
		if d := dayOf(s[:4], s[5:7], s[8:10]); d.Known() && timeOfDay(&d, s) {
			return d, isoDate
		}
	}
	return civil.NoDay, noDate
}

// timeOfDay reports whether the text after a date is a valid time of day. A time with a zone may change d to another
// day in India; a time without a zone is taken as Indian time.
func timeOfDay(d *civil.Day, s string) bool {
	rest := s[10:]
	switch {
	case rest == "":
		return true
	case rest[0] == '+' && len(rest) == 6 && rest[3] == ':': // a date with a zone
		return isDigits(rest[1:3]) && isDigits(rest[4:])
	case rest[0] != 'T' && rest[0] != ' ' || len(s) > 40:
		return false
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		*d = civil.DayAt(t)
		return true
	}
	_, err := time.Parse("15:04:05", rest[1:])
	return err == nil
}

// dayOf returns the day of three texts of digits, or NoDay if there is no such day.
func dayOf(year, month, day string) civil.Day {
	if !isDigits(year) || !isDigits(month) || !isDigits(day) {
		return civil.NoDay
	}
	y, m, d := atoi(year), atoi(month), atoi(day)
	if y < firstYear || y > lastYear || m < 1 || m > 12 || d < 1 || d > civil.DaysIn(y, m) {
		return civil.NoDay
	}
	return civil.Date(y, m, d)
}

// monthOf returns the month of a year and a month from 1 to 12, or NoMonth if either is out of range.
func monthOf(year, month int) civil.Month {
	if year < firstYear || year > lastYear || month < 1 || month > 12 {
		return civil.NoMonth
	}
	return civil.MonthOf(year, time.Month(month))
}

// parseMonth parses 2026-10, 10-2026, 10/2026, 10-26, 10/26, Oct:2026, Oct-2026
// and 202610. It returns NoMonth for other texts.
func parseMonth(s string) civil.Month {
	s = strings.TrimSpace(s)
	switch {
	case len(s) == 7 && s[4] == '-':
		return digitMonth(s[:4], s[5:])
	case len(s) == 7 && (s[2] == '-' || s[2] == '/'):
		return digitMonth(s[3:], s[:2])
	case len(s) == 5 && (s[2] == '-' || s[2] == '/') && isDigits(s[3:]):
		return digitMonth("20"+s[3:], s[:2])
	case len(s) == 6:
		return digitMonth(s[:4], s[4:])
	case len(s) == 8 && (s[3] == ':' || s[3] == '-') && isDigits(s[4:]):
		for i := range 12 {
			if strings.EqualFold(monthNames[3*i:3*i+3], s[:3]) {
				return monthOf(atoi(s[4:]), i+1)
			}
		}
	}
	return civil.NoMonth
}

const monthNames = "janfebmaraprmayjunjulaugsepoctnovdec"

func digitMonth(year, month string) civil.Month {
	if !isDigits(year) || !isDigits(month) {
		return civil.NoMonth
	}
	return monthOf(atoi(year), atoi(month))
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// atoi returns the value of a short run of digits.
func atoi(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

func isZeroDate(s string) bool {
	return (len(s) == 8 || len(s) == 10) && strings.Trim(s, "0-/") == ""
}
