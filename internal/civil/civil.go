// Package civil implements the calendar: Indian time, days and months as numbers, and working days.
//
// It reads no clock and no time zone database. Functions that need a time take it as an argument, and the result is
// the same on every machine.
package civil

import "time"

// IndiaOffset is the difference between Indian Standard Time and UTC. It has
// not changed since 1945 and there is no summer time.
const IndiaOffset = 5*time.Hour + 30*time.Minute

// IndiaName is the name of India's zone in the time zone database.
const IndiaName = "Asia/Kolkata"

// India is Indian Standard Time. It is a fixed zone, because the offset does
// not change and because the time zone database may be missing or differ
// between machines.
var India = time.FixedZone(IndiaName, indiaSeconds)

// SecondsPerDay is the length of every day: neither UTC nor India has a summer
// time, and Unix time has no leap seconds.
const SecondsPerDay = 24 * 60 * 60

const indiaSeconds = int(IndiaOffset / time.Second)
