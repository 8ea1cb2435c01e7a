package main

import (
	"bytes"
	"errors"
	"fmt"

	"verdict/internal/capsule"
)

// verifyCapsules checks capsules, and says of each which of three sentences are true: the
// engine makes the same decision again, the decision is in the lender's log, and a witness
// has seen that log.
func verifyCapsules(c *command, names []string, key, witness string) int {
	if key == "" {
		return c.usage("-key is missing; give the file with the public key of the log")
	}
	log, err := c.read(key)
	if err != nil {
		return c.usage("%v", err)
	}
	var witnesses []byte
	if witness != "" {
		if witnesses, err = c.read(witness); err != nil {
			return c.usage("%v", err)
		}
	}
	keys, err := capsule.ReadKeys(string(log), string(witnesses))
	switch {
	case errors.Is(err, capsule.ErrNotAWitnessKey), err == nil && witness != "" && len(keys.Witnesses) == 0:
		return c.usage("%s: %v", witness, capsule.ErrNotAWitnessKey)
	case err != nil:
		return c.usage("%s: %v", key, err)
	}
	code := exitOK
	for _, name := range names {
		code = max(code, verifyCapsule(c, name, keys))
	}
	return code
}

func verifyCapsule(c *command, name string, keys capsule.Keys) int {
	text, err := c.readUpTo(name, capsule.MaxSize)
	if err != nil {
		return c.usage("%v", err)
	}
	result, err := capsule.Verify(text, keys)
	if err != nil {
		return c.refused(name, err)
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, result.Decision)
	for _, s := range result.Sentences {
		fmt.Fprintf(&out, "%s: %s\n", s.Truth, s.Text)
	}
	if code := c.print(out.Bytes()); code != exitOK {
		return code
	}
	if !result.Holds {
		return exitRefused
	}
	return exitOK
}
