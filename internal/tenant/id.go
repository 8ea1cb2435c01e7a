package tenant

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"strings"
	"sync"
	"time"
)

// Kind is what an id names: the id's prefix, with its underscore.
type Kind string

// The kinds.
const (
	KindTenant    Kind = "ten_"
	KindUser      Kind = "usr_"
	KindKey       Kind = "key_"
	KindDecision  Kind = "dec_"
	KindPolicy    Kind = "pol_"
	KindScorecard Kind = "sc_"
	KindAlert     Kind = "alr_"
	KindRun       Kind = "run_"
	KindRequest   Kind = "req_"
	KindBacktest  Kind = "bt_"
	KindReview    Kind = "rev_"
	KindAudit     Kind = "aud_"

	KindSession    Kind = "ses_"
	KindInvitation Kind = "inv_"
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{
		KindTenant, KindUser, KindKey, KindDecision, KindPolicy,
		KindScorecard, KindAlert, KindRun, KindRequest, KindBacktest,
		KindReview, KindAudit, KindSession, KindInvitation,
	}
}

// An id is a kind's prefix and a ULID: 48 bits of milliseconds since 1970 in
// ten characters, then 80 bits of chance in sixteen.
const (
	crockford   = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	ulidLength  = 26
	timeLength  = 10
	maxMillis   = 1<<48 - 1
	maxEntropyH = 1<<16 - 1
)

// IDs makes ids. Those of one generator are all different and sort in the
// order they were made: within a millisecond, or when the clock steps back a
// little, an id is the one before plus a little chance. A clock that is set
// back further is followed. It is safe for concurrent use.
//
// An id says when it was made and nothing else; none is ever worked out from
// what an applicant or a user sent. It is a name and no secret: who may read
// what it names is settled by the scope of the storage handle.
type IDs struct {
	mu      sync.Mutex
	random  io.Reader
	scratch [10]byte // here, because a buffer handed to an interface is allocated
	millis  int64
	high    uint32 // the upper 16 bits of the chance
	low     uint64 // the lower 64
}

// NewIDs makes a generator. The reader is crypto/rand.Reader, except in tests.
func NewIDs(random io.Reader) *IDs { return &IDs{random: random, millis: -1} }

// New makes an id. It panics when there is no randomness to be had: an id that
// may not be the only one of its name must not go out, and crypto/rand.Reader
// does not fail.
func (g *IDs) New(kind Kind, now time.Time) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	millis := min(max(now.UnixMilli(), 0), maxMillis)
	if millis > g.millis || g.millis-millis > mostAhead.Milliseconds() {
		g.millis = millis
		g.draw()
	} else {
		g.advance()
	}
	id := make([]byte, 0, len(kind)+ulidLength)
	id = append(id, kind...)
	id = appendMillis(id, g.millis)
	for shift := 75; shift >= 0; shift -= 5 {
		digit := uint64(g.high) >> max(shift-64, 0)
		if shift < 64 {
			digit = digit<<(64-shift) | g.low>>shift
		}
		id = append(id, crockford[digit&31])
	}
	return string(id)
}

// mostAhead is how far ids may run ahead of a clock that was set back. Beyond
// it they follow the clock: what they name would be dated wrongly for longer
// than anybody would mind two ids out of order.
const mostAhead = 5 * time.Second

// draw takes fresh chance for a new millisecond.
func (g *IDs) draw() {
	g.read(g.scratch[:])
	g.high = uint32(binary.BigEndian.Uint16(g.scratch[:2]))
	g.low = binary.BigEndian.Uint64(g.scratch[2:])
}

// advance goes on within the millisecond of the id before, by a step that
// nobody can foresee. In the rare millisecond whose chance began too near the
// end, the next millisecond is used up instead.
func (g *IDs) advance() {
	g.read(g.scratch[:4])
	step := uint64(binary.BigEndian.Uint32(g.scratch[:4])) + 1
	low, carry := bits.Add64(g.low, step, 0)
	g.low, g.high = low, g.high+uint32(carry)
	if g.high > maxEntropyH {
		g.millis++
		g.draw()
	}
}

func (g *IDs) read(into []byte) {
	if _, err := io.ReadFull(g.random, into); err != nil {
		panic(fmt.Sprintf("tenant: no randomness for an id: %v", err))
	}
}

// Valid reports whether a text has the form of an id of this kind. It says
// nothing about whether there is such a thing.
func Valid(kind Kind, id string) bool {
	_, ok := split(kind, id)
	return ok
}

// Time is when an id was made, to the millisecond and in UTC; ok is false when
// the text is no id of any kind.
func Time(id string) (made time.Time, ok bool) {
	for _, kind := range Kinds() {
		if millis, ok := split(kind, id); ok {
			return time.UnixMilli(millis).UTC(), true
		}
	}
	return time.Time{}, false
}

// FirstID is the lowest id that can have been made at a moment or later, to
// the millisecond. No id of an earlier one is as great.
func FirstID(kind Kind, t time.Time) string {
	id := appendMillis([]byte(kind), min(max(t.UnixMilli(), 0), maxMillis))
	return string(id) + strings.Repeat(crockford[:1], ulidLength-timeLength)
}

func appendMillis(id []byte, millis int64) []byte {
	for shift := 5 * (timeLength - 1); shift >= 0; shift -= 5 {
		id = append(id, crockford[millis>>shift&31])
	}
	return id
}

// split checks an id and reads its milliseconds. Only the form that New writes
// is taken: were lower case or O for 0 let through, one thing would have
// several names.
func split(kind Kind, id string) (millis int64, ok bool) {
	ulid, ok := strings.CutPrefix(id, string(kind))
	if !ok || len(ulid) != ulidLength || ulid[0] > '7' { // ten characters hold 50 bits
		return 0, false
	}
	for i := range len(ulid) {
		digit := strings.IndexByte(crockford, ulid[i])
		if digit < 0 {
			return 0, false
		}
		if i < timeLength {
			millis = millis<<5 | int64(digit)
		}
	}
	return millis, true
}
