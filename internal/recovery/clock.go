package recovery

import (
	"time"

	"verdict/internal/civil"
)

const minutesPerDay = 24 * 60

// parseDay reads a date such as "2026-11-15". The year must be plausible.
func parseDay(text string) (civil.Day, bool) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || !plausible(t) {
		return 0, false
	}
	return civil.LocalDay(t), true
}

// parseMoment reads a time with its zone.
func parseMoment(text string) (time.Time, bool) {
	// Do not use time.Parse, which would consult the time zone of the machine.
	t, err := time.ParseInLocation(time.RFC3339, text, time.UTC)
	return t, err == nil && plausible(t)
}

func plausible(t time.Time) bool { return t.Year() >= 1990 && t.Year() <= 2100 }

// Window is the part of the day in which contact is allowed, in minutes after
// midnight. It includes From and excludes To. An empty window allows no
// contact.
type Window struct{ From, To int }

// The legal hours of contact through any channel.
var (
	legalWindow       = Window{8 * 60, 19 * 60}
	legalMicrofinance = Window{9 * 60, 18 * 60}
)

func (w Window) empty() bool { return w.From >= w.To }

func (w Window) intersect(v Window) Window { return Window{max(w.From, v.From), min(w.To, v.To)} }

// clockText formats a minute of the day, such as "08:00".
func clockText(minute int) string {
	return string([]byte{
		byte('0' + minute/600), byte('0' + minute/60%10), ':', byte('0' + minute%60/10), byte('0' + minute%10),
	})
}

// parseClock reads an hour and minute such as "08:00". The latest is "24:00".
func parseClock(text string) (minute int, ok bool) {
	if len(text) != len("08:00") || text[2] != ':' {
		return 0, false
	}
	hour, okHour := twoDigits(text[:2])
	minute, okMinute := twoDigits(text[3:])
	minute += hour * 60
	return minute, okHour && okMinute && minute%60 == minute-hour*60 && minute <= minutesPerDay
}

func twoDigits(text string) (n int, ok bool) {
	for i := range 2 {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
	}
	return int(text[0]-'0')*10 + int(text[1]-'0'), true
}

// parseZone reads a borrower's zone. India is given by its name, any other zone
// by its offset from UTC, such as "+04:00".
func parseZone(text string) (zone *time.Location, ok bool) {
	if text == civil.IndiaName {
		return civil.India, true
	}
	if len(text) != len("+05:30") || text[0] != '+' && text[0] != '-' {
		return nil, false
	}
	minutes, ok := parseClock(text[1:])
	const furthest = 14 * 60
	if !ok || minutes > furthest {
		return nil, false
	}
	if text[0] == '-' {
		minutes = -minutes
	}
	return time.FixedZone(text, minutes*60), true
}

// wholeSecond rounds t up to a whole second. Times are written in seconds, and
// rounding down would give a time before the request.
func wholeSecond(t time.Time) time.Time {
	if floor := t.Truncate(time.Second); !floor.Equal(t) {
		return floor.Add(time.Second)
	}
	return t
}
