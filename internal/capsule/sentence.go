package capsule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"verdict/internal/evidence"
)

// Keys are the public keys with which a capsule is checked.
type Keys struct {
	Log       *evidence.LogKeys
	Witnesses []evidence.WitnessKey
}

// The errors of ReadKeys.
var (
	ErrNotALogKey     = evidence.ErrNotLogKeys
	ErrNotAWitnessKey = errors.New("not the public key of a witness; it looks like NAME+1a2b3c4d+B…")
)

// ReadKeys reads the public keys of a log and of witnesses. witnesses has one key on each line, or
// is empty.
func ReadKeys(log, witnesses string) (k Keys, err error) {
	if k.Log, err = evidence.ParseLogKeys(log); err != nil {
		return Keys{}, err
	}
	for line := range strings.Lines(witnesses) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		w, err := evidence.ParseWitnessKey(line)
		if err != nil {
			return Keys{}, ErrNotAWitnessKey
		}
		k.Witnesses = append(k.Witnesses, w)
	}
	return k, nil
}

// Truth says what is known about a sentence.
type Truth string

// The values of Truth.
const (
	Yes     Truth = "yes"
	No      Truth = "NO"
	Unknown Truth = "unknown"
	Note    Truth = "note" // a remark that is true and changes no other sentence
)

// Sentence is a sentence about a capsule.
type Sentence struct {
	Truth Truth
	Text  string
}

// Result is the result of a check in words. The command line and the page for browsers
// show the same words.
type Result struct {
	Decision  string // which decision it is
	Sentences []Sentence
	Holds     bool // the engine made the same decision again, and it is in the log
}

// Verify reads and checks a capsule. It returns an error only if Parse does.
func Verify(text []byte, keys Keys) (Result, error) {
	c, err := Parse(text)
	if err != nil {
		return Result{}, err
	}
	r := c.Check(keys.Log, keys.Witnesses)
	return c.describe(&r, keys.Log.Name()), nil
}

// describe returns the result with sentences that explain the report.
func (c *Capsule) describe(r *Report, log string) Result {
	result := Result{
		Decision: fmt.Sprintf("decision %s of %s, %s", c.Row.ID,
			time.UnixMicro(c.Row.CreatedMicros).UTC().Format(time.RFC3339), c.Row.Status),
		Holds: r.Decided == nil && r.Logged == nil,
	}
	say := func(truth Truth, format string, args ...any) {
		result.Sentences = append(result.Sentences, Sentence{truth, fmt.Sprintf(format, args...)})
	}
	if r.Decided == nil {
		say(Yes, "the engine makes the same decision again on these facts and this policy")
	} else {
		say(No, "the decision does not reproduce: %v", r.Decided)
	}
	if r.Logged == nil {
		say(Yes, "exactly this decision is in the log %s, signed when it had %d entries",
			r.Checkpoint.Origin, r.Checkpoint.Size)
	} else {
		say(No, "the capsule does not show that this decision is in the log %s: %v", log, r.Logged)
	}
	if strings.Contains(r.Checkpoint.Origin, "#") {
		say(Note, "this log was reopened because the lender lost a part of the log before it; its first entry says why")
	}
	switch {
	case r.Replaced != "" && len(r.Seen) == 0:
		say(Note, "the log key that signed this was replaced at %s; only a witness could show that it signed "+
			"before then", r.Replaced)
	case r.Replaced != "":
		say(Note, "the log key that signed this was replaced at %s", r.Replaced)
	}
	if c.Leaf.Backfilled {
		say(Note, "the decision was made before the log existed, and was added to the log later")
	}
	for _, seen := range r.Seen {
		say(Yes, "the witness %s saw this state of the log at %s", seen.Witness, seen.At.Format(time.RFC3339))
	}
	if r.Logged == nil && len(r.Seen) == 0 {
		say(Unknown, "no witness whose key was given has signed this state of the log, so only the lender says when "+
			"it existed")
	}
	return result
}
