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

// Kind is the prefix of an id, with its underscore. It says which kind of object
// the id names.
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

	KindWebhook  Kind = "whk_"
	KindDelivery Kind = "dlv_"

	KindErasure   Kind = "era_"
	KindLegalHold Kind = "lhd_"
	KindList      Kind = "lst_"
	KindExposure  Kind = "exp_"
	KindBatch     Kind = "bat_"
	KindTable     Kind = "tbl_"
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{
		KindTenant, KindUser, KindKey, KindDecision, KindPolicy,
		KindScorecard, KindAlert, KindRun, KindRequest, KindBacktest,
		KindReview, KindAudit, KindSession, KindInvitation, KindWebhook, KindDelivery, KindErasure,
		KindLegalHold, KindList, KindTable, KindExposure, KindBatch,
	}
}

// An id is the prefix of its kind and a ULID: the milliseconds since 1970 in 48
// bits, written as ten characters, then 80 random bits in sixteen characters.
const (
	crockford   = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	ulidLength  = 26
	timeLength  = 10
	maxMillis   = 1<<48 - 1
	maxEntropyH = 1<<16 - 1
)

// IDs generates ids. The ids of one generator are unique and sort in the order of
// their creation. Within a millisecond, or if the clock steps back a little, an id
// is the previous id plus a small random number. If the clock is set back further,
// the ids follow the clock. IDs is safe for concurrent use.
//
// An id reveals its creation time and nothing else; it is never derived from data
// that an applicant or a user sent. It is not a secret: the scope of the storage
// handle controls access.
type IDs struct {
	mu      sync.Mutex
	random  io.Reader
	scratch [10]byte // a field, because a local buffer passed to an interface would be allocated
	millis  int64
	high    uint32 // the upper 16 random bits
	low     uint64 // the lower 64 random bits
}

// NewIDs returns a generator. Except in tests, random should be crypto/rand.Reader.
func NewIDs(random io.Reader) *IDs { return &IDs{random: random, millis: -1} }

// New returns a new id. It panics if random fails, because the id might then not
// be unique. crypto/rand.Reader never fails.
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

// mostAhead is the maximum by which ids may be ahead of a clock that was set
// back. If the clock is set back further, ids follow the clock, because a wrong
// creation time is then worse than ids out of order.
const mostAhead = 5 * time.Second

// draw reads new random bits for a new millisecond.
func (g *IDs) draw() {
	g.read(g.scratch[:])
	g.high = uint32(binary.BigEndian.Uint16(g.scratch[:2]))
	g.low = binary.BigEndian.Uint64(g.scratch[2:])
}

// advance adds an unpredictable step to the random bits of the previous id. In the
// rare case that they overflow, it moves on to the next millisecond.
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

// Valid reports whether a text has the form of an id of this kind, not whether
// such a resource exists.
func Valid(kind Kind, id string) bool {
	_, ok := split(kind, id)
	return ok
}

// Time returns when an id was created, in UTC to the millisecond; ok is false if
// the text is not an id of any kind.
func Time(id string) (made time.Time, ok bool) {
	for _, kind := range Kinds() {
		if millis, ok := split(kind, id); ok {
			return time.UnixMilli(millis).UTC(), true
		}
	}
	return time.Time{}, false
}

// FirstID returns the lowest id of the given kind that can be created in the millisecond
// of t. Every id of an earlier millisecond is lower.
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

// split checks an id and returns its milliseconds. It accepts only the form that
// New writes. If it accepted lower case or O for 0, a resource would have several
// ids.
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
