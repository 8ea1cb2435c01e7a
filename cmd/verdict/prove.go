package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/analysis"
	"verdict/internal/engine/prover"
	"verdict/internal/field"
	"verdict/internal/wire"
)

const proveHelp = `Prove the guarantees of a policy for all possible applicants. Each guarantee is
proved, refuted with an applicant whom the policy has decided, or undecided.

  verdict prove -policy policy.json
  verdict prove -policy policy.json -json

A proof that takes longer than -time ends undecided. Exits with 1 if a guarantee is
refuted, otherwise with 3 if one is undecided. A policy without guarantees has
nothing to prove: the exit code is 0.
` + lookupHelp

func prove(c *command) int {
	fs := c.flags(proveHelp)
	policyFile := fs.String("policy", "", "policy `file`, - for standard input; default: the default policy")
	asJSON := fs.Bool("json", false, "print the results as JSON")
	limit := fs.Duration("time", proofTime, "the longest `time` that the proofs may take together")
	var files lookupFiles
	files.declare(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if code, ok := files.readTables(c); !ok {
		return code
	}
	policy, code, ok := files.policy(c, *policyFile)
	if !ok {
		return code
	}
	proofs, err := proveAll(policy, time.Now().Add(*limit))
	if err != nil {
		return c.usage("prove the guarantees: %v", err)
	}
	if *asJSON {
		var w wire.Writer
		w.Object().Key("guarantees")
		prover.WriteProofs(&w, proofs)
		code = c.printJSON(w.Key("prover_version").Int(prover.Version).EndObject().Buf, false)
	} else {
		code = c.print(proofText(proofs))
	}
	if code != exitOK {
		return code
	}
	for _, p := range proofs {
		switch {
		case p.Standing == prover.Refuted:
			return exitRefused
		case p.Standing == prover.Undecided:
			code = exitUndecided
		}
	}
	return code
}

// proofTime is the longest time that the proofs of a policy take by default.
const proofTime = 10 * time.Second

// proveAll proves the guarantees of a policy until a time.
func proveAll(policy *engine.Policy, end time.Time) ([]prover.Proof, error) {
	if len(policy.Guarantees) == 0 {
		return nil, nil
	}
	return prover.ProveAll(engine.Compile(policy, field.Catalogue()), prover.Options{Check: func() error {
		if time.Now().After(end) {
			return prover.ErrOutOfTime
		}
		return nil
	}})
}

// proofText returns the results for people.
func proofText(proofs []prover.Proof) []byte {
	var b bytes.Buffer
	count := map[prover.Standing]int{}
	for i := range proofs {
		p := &proofs[i]
		count[p.Standing]++
		fmt.Fprintf(&b, "%s %s: %s\n  %s\n", p.Standing, p.ID, p.Text, p.Sentence())
		if len(p.NotCovered) > 0 {
			fmt.Fprintf(&b, "  It says nothing about applicants without %s.\n", strings.Join(p.NotCovered, ", "))
		}
	}
	fmt.Fprintf(&b, "%d proved, %d refuted, %d undecided\n", count[prover.Proved], count[prover.Refuted],
		count[prover.Undecided])
	return b.Bytes()
}

// guaranteeFindings returns a finding for each guarantee that is not proved.
func guaranteeFindings(proofs []prover.Proof) (found []analysis.Finding) {
	for i := range proofs {
		p := &proofs[i]
		if p.Standing == prover.Proved {
			continue
		}
		f := analysis.Guarantee(i, p.ID, p.Standing == prover.Refuted, p.Sentence())
		if len(p.Applicants) > 0 {
			f.Witness = p.Applicants[0].Facts
		}
		found = append(found, f)
	}
	return found
}
