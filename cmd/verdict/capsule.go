package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"verdict/internal/capsule"
	"verdict/internal/evidence"
)

// verifyCapsules checks capsules, and says of each which of three sentences are true: the
// engine makes the same decision again, the decision is in the lender's log, and a witness
// has seen that log.
func (c *command) verifyCapsules(names []string, key, witness string) int {
	if key == "" {
		return c.usage("-key is missing; give the file with the public key of the log")
	}
	text, err := c.read(key)
	if err != nil {
		return c.usage("%v", err)
	}
	log, err := note.NewVerifier(strings.TrimSpace(string(text)))
	if err != nil {
		return c.usage("%s does not contain the public key of a log", key)
	}
	var witnesses []evidence.WitnessKey
	if witness != "" {
		if text, err = c.read(witness); err != nil {
			return c.usage("%v", err)
		}
		w, err := evidence.ParseWitnessKey(strings.TrimSpace(string(text)))
		if err != nil {
			return c.usage("%s does not contain the public key of a witness", witness)
		}
		witnesses = append(witnesses, w)
	}
	code := exitOK
	for _, name := range names {
		code = max(code, c.verifyCapsule(name, log, witnesses))
	}
	return code
}

func (c *command) verifyCapsule(name string, log note.Verifier, witnesses []evidence.WitnessKey) int {
	text, err := c.read(name)
	if err != nil {
		return c.usage("%v", err)
	}
	read, err := capsule.Parse(text)
	if err != nil {
		return c.refused(name, err)
	}
	report := read.Check(log, witnesses)
	if code := c.print(sentences(read, &report, log)); code != exitOK {
		return code
	}
	if report.Decided != nil || report.Logged != nil {
		return exitRefused
	}
	return exitOK
}

// sentences returns what the report means, in words.
func sentences(c *capsule.Capsule, r *capsule.Report, log note.Verifier) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "decision %s of %s, %s\n", c.Row.ID,
		time.UnixMicro(c.Row.CreatedMicros).UTC().Format(time.RFC3339), c.Row.Status)
	if r.Decided == nil {
		fmt.Fprintf(&out, "yes: the engine makes the same decision again on these facts and this policy\n")
	} else {
		fmt.Fprintf(&out, "NO: the decision does not reproduce: %v\n", r.Decided)
	}
	if r.Logged == nil {
		fmt.Fprintf(&out, "yes: exactly this decision is in the log %s, signed when it had %d entries\n",
			r.Checkpoint.Origin, r.Checkpoint.Size)
	} else {
		fmt.Fprintf(&out, "NO: the proof does not show that the decision is in the log %s: %v\n", log.Name(), r.Logged)
	}
	if c.Leaf.Backfilled {
		fmt.Fprintf(&out, "note: the decision was made before the log existed, and was added to the log later\n")
	}
	for _, seen := range r.Seen {
		fmt.Fprintf(&out, "yes: the witness %s saw this state of the log at %s\n", seen.Witness,
			seen.At.Format(time.RFC3339))
	}
	if r.Logged == nil && len(r.Seen) == 0 {
		fmt.Fprintf(&out, "unknown: no witness whose key was given has signed this state of the log, so only the "+
			"lender says when it existed\n")
	}
	return out.Bytes()
}
