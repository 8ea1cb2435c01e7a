package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"verdict/internal/engine"
	"verdict/internal/engine/prover"
	"verdict/internal/engine/prover/smt"
	"verdict/internal/field"
	"verdict/internal/wire"
)

const proveHelp = `Prove the guarantees of a policy for all possible applicants. Each guarantee is
proved, refuted with an applicant whom the policy has decided, or undecided.

  verdict prove -policy policy.json
  verdict prove -policy policy.json -json
  verdict prove -policy policy.json -smt2 questions.smt2

With -smt2 it also writes one question in SMT-LIB 2 for each guarantee: is there an
applicant for whom it does not hold after Stage 1, the score and the bands? A solver such
as z3 or cvc5 prints the id of each guarantee and answers sat (yes) or unsat (no).

A proof that takes longer than -time ends undecided. Exits with 1 if a guarantee is
refuted, otherwise with 3 if one is undecided. A policy without guarantees has
nothing to prove: the exit code is 0.
` + lookupHelp

func prove(c *command) int {
	fs := c.flags(proveHelp)
	policyFile := fs.String("policy", "", "policy `file`, - for standard input; default: the default policy")
	asJSON := fs.Bool("json", false, "print the results as JSON")
	questions := fs.String("smt2", "", "write the questions as SMT-LIB 2 to `file`, - for standard output")
	limit := fs.Duration("time", proofTime, "the longest `time` that the proofs may take together")
	var files lookupFiles
	files.declare(fs)
	if code, done := c.parse(fs, 0); done {
		return code
	}
	if *asJSON && *questions == standardInput {
		return c.usage("only one result can go to standard output: use -json or \"-smt2 -\"")
	}
	if code, ok := files.readTables(c); !ok {
		return code
	}
	policy, code, ok := files.policy(c, *policyFile)
	if !ok {
		return code
	}
	if *questions != "" {
		if code, done := c.writeResult(*questions, "questions", questionsText(policy)); done {
			return code
		}
	}
	proofs, err := proveAll(c, policy, time.Now().Add(*limit))
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

// questionsText returns the questions of a policy's guarantees. The questions are independent of each other, so the
// text resets the solver between two questions.
func questionsText(policy *engine.Policy) []byte {
	var b bytes.Buffer
	plan := engine.Compile(policy, field.Catalogue())
	asked := 0
	for i := range policy.Guarantees {
		g := &policy.Guarantees[i]
		q, why := smt.Violate(plan, g)
		if why != "" {
			fmt.Fprintf(&b, "; %s is not asked: %s.\n", g.ID, why)
			continue
		}
		if asked++; asked > 1 {
			b.WriteString("(reset)\n")
		}
		fmt.Fprintf(&b, "(echo %q)\n%s", g.ID, q.Text)
	}
	if asked == 0 {
		b.WriteString("; No guarantee is asked.\n")
	}
	return b.Bytes()
}

// proofTime is the longest time that the proofs of a policy take by default.
const proofTime = 10 * time.Second

// proveAll proves the guarantees of a policy. It stops at the time "end", and shows its progress on a terminal.
func proveAll(c *command, policy *engine.Policy, end time.Time) ([]prover.Proof, error) {
	if len(policy.Guarantees) == 0 {
		return nil, nil
	}
	options, finish := c.proverOptions("proving", end)
	defer finish()
	return prover.ProveAll(engine.Compile(policy, field.Catalogue()), options)
}

// proverOptions returns options that end the prover's work at a time and show its progress on a terminal. The caller
// must call finish when the work has ended.
func (c *command) proverOptions(what string, end time.Time) (options prover.Options, finish func()) {
	bar := c.progress(-1, what)
	options = prover.Options{
		Check: func() error {
			if time.Now().After(end) {
				return prover.ErrOutOfTime
			}
			return nil
		},
		Progress: func(done, all int) {
			bar.ChangeMax(all)
			_ = bar.Set(done) // only the display would be wrong
		},
	}
	return options, func() { _ = bar.Finish() } // only the display would be wrong
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
