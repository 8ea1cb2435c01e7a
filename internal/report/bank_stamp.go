package report

import (
	"time"

	"verdict/internal/civil"
)

// stamp is a date or time of a statement.
type stamp struct {
	day      civil.Day
	second   int32 // second of the day in India, -1 when only the date is given
	zoneless bool  // a time without a time zone
}

// oldestStamp is the earliest accepted date. It limits the number of days for
// which later steps compute a balance.
var oldestStamp = civil.DayOf(1990, time.January, 1)

// dated caches the last date with its text. The rows of a statement are grouped
// by day, so most dates repeat the one before.
type dated struct {
	text string
	day  civil.Day
}

// read parses a date such as 2006-01-02. It returns the cached day if the text is
// the same as last time.
func (d *dated) read(s string) (civil.Day, bool) {
	if s == d.text {
		return d.day, true
	}
	if s[4] != '-' || s[7] != '-' {
		return civil.NoDay, false
	}
	year, month, day := digits(s[:4]), digits(s[5:7]), digits(s[8:10])
	if year < 0 || month < 1 || month > 12 || day < 1 || day > civil.DaysIn(year, month) {
		return civil.NoDay, false
	}
	*d = dated{text: s, day: civil.Date(year, month, day)}
	return d.day, true
}

// readStamp parses a date such as 2006-01-02, or an RFC 3339 time, which it
// converts to the day in India. A time without a zone is taken as Indian time.
// readStamp does not use time.Parse, which is too slow for the thousands of dates
// in a statement.
func readStamp(s string, last *dated) (stamp, bool) {
	if len(s) < 10 {
		return stamp{}, false
	}
	date, ok := last.read(s[:10])
	if !ok {
		return stamp{}, false
	}
	if len(s) == 10 {
		return stamp{day: date, second: -1}, true
	}
	seconds, rest, ok := readClock(s[10:])
	if !ok {
		return stamp{}, false
	}
	offset, zoneless, ok := readZone(rest)
	if !ok {
		return stamp{}, false
	}
	day, second := civil.InIndia(int64(date)*civil.SecondsPerDay + int64(seconds-offset))
	return stamp{day: day, second: second, zoneless: zoneless}, true
}

// readClock parses T15:04:05 with an optional fraction, which is dropped. A "t" or
// a blank may stand for the T, and the leap second 60 counts as 59.
func readClock(s string) (seconds int, rest string, ok bool) {
	if len(s) < 9 || s[0] != 'T' && s[0] != 't' && s[0] != ' ' || s[3] != ':' || s[6] != ':' {
		return 0, "", false
	}
	hour, minute, second := digits(s[1:3]), digits(s[4:6]), digits(s[7:9])
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60 {
		return 0, "", false
	}
	rest = s[9:]
	if len(rest) > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9' {
		rest = rest[1:]
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			rest = rest[1:]
		}
	}
	return hour*3600 + minute*60 + min(second, 59), rest, true
}

// readZone parses "Z", "+05:30" or "+0530" and returns the offset in seconds. For "" it returns India's offset and
// sets zoneless.
func readZone(s string) (offset int, zoneless, ok bool) {
	switch {
	case s == "":
		return int(civil.IndiaOffset / time.Second), true, true
	case s == "Z" || s == "z":
		return 0, false, true
	case s[0] != '+' && s[0] != '-', len(s) != 5 && (len(s) != 6 || s[3] != ':'):
		return 0, false, false
	}
	hours, minutes := digits(s[1:3]), digits(s[len(s)-2:])
	if hours < 0 || hours > 23 || minutes < 0 || minutes > 59 {
		return 0, false, false
	}
	offset = hours*3600 + minutes*60
	if s[0] == '-' {
		offset = -offset
	}
	return offset, false, true
}

// digits parses a short run of digits; it returns -1 for any other character.
func digits(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// plainDecimal reports whether a text is a plain decimal number of at most 32
// characters after the sign: an optional minus, digits and an optional point,
// but no exponent and no separators. Such a text is also a JSON number, except
// that leading zeros are allowed.
func plainDecimal(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	point := -1
	for i := range len(s) {
		switch {
		case s[i] >= '0' && s[i] <= '9':
		case s[i] == '.' && point < 0 && i > 0 && i < len(s)-1:
			point = i
		default:
			return false
		}
	}
	return s != "" && len(s) <= 32
}
