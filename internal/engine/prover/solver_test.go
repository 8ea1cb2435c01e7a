package prover

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// judgeTimeout limits the time for one question. A question that takes longer is not judged.
const judgeTimeout = 20 * time.Second

// solver is a program that answers SMT-LIB questions. scripts/deps installs z3 and cvc5.
type solver struct {
	command []string
	timeout string // the option that limits the time of a question, in milliseconds
}

var solvers = []solver{
	{[]string{"z3", "-smt2", "-in"}, ":timeout"},
	{[]string{"cvc5", "--lang=smt2", "--incremental"}, ":tlimit-per"},
}

// judge is a running solver. It answers many questions, one after the other, and forgets each before the next.
type judge struct {
	solver
	tb      testing.TB
	in      io.WriteCloser
	out     *bufio.Scanner
	process *exec.Cmd
	took    time.Duration
	slowest time.Duration
	late    int // questions that took too long
	against int // answers that contradict the prover
	asked   int
}

// judges starts all solvers.
func judges(tb testing.TB) (list []*judge) {
	tb.Helper()
	for _, s := range solvers {
		j := &judge{solver: s, tb: tb, process: exec.CommandContext(tb.Context(), s.command[0], s.command[1:]...)}
		out, err := j.process.StdoutPipe()
		if err == nil {
			j.in, err = j.process.StdinPipe()
		}
		j.process.Stderr = j.process.Stdout
		if err == nil {
			err = j.process.Start()
		}
		if err != nil {
			tb.Fatalf("%s does not start: %v (scripts/deps test installs the solvers)", s.command[0], err)
		}
		j.out = bufio.NewScanner(out)
		tb.Cleanup(func() {
			_ = j.in.Close() // ends the process
			_ = j.process.Wait()
		})
		list = append(list, j)
	}
	return list
}

// answer asks a question and reports whether the answer is sat. judged is false if the solver takes too long.
func (j *judge) answer(question []byte) (sat, judged bool) {
	j.tb.Helper()
	begun := time.Now()
	defer func() {
		spent := time.Since(begun)
		j.asked, j.took, j.slowest = j.asked+1, j.took+spent, max(j.slowest, spent)
	}()
	_, err := fmt.Fprintf(j.in, "(reset)\n(set-option %s %d)\n%s\n(echo \"answered\")\n", j.timeout,
		judgeTimeout.Milliseconds(), question)
	var lines []string
	for err == nil && j.out.Scan() {
		line := strings.Trim(j.out.Text(), `"`)
		if line == "answered" {
			break
		}
		lines = append(lines, line)
	}
	switch text := strings.Join(lines, "\n"); {
	case err == nil && text == "sat":
		return true, true
	case err == nil && text == "unsat":
		return false, true
	case err == nil && (text == "unknown" || text == "timeout"):
		j.late++
		return false, false
	default:
		j.tb.Fatalf("%s cannot answer: %v: %.300s", j.command[0], err, text)
		return false, false
	}
}

// agree asks all solvers a question and reports whether every answer is the wanted one. A solver may take too long,
// but at least one must answer.
func agree(tb testing.TB, list []*judge, name string, question []byte, want bool) bool {
	tb.Helper()
	answers, same := 0, true
	for _, j := range list {
		got, judged := j.answer(question)
		if !judged {
			tb.Logf("%s: %s has not answered in time", name, j.command[0])
			continue
		}
		if answers++; got != want {
			tb.Errorf("%s: %s says %v; the prover says %v", name, j.command[0], got, want)
			j.against++
			same = false
		}
	}
	if answers == 0 {
		tb.Errorf("%s: no solver has answered", name)
	}
	return same
}

// report logs how long the solvers took, and writes the results of a piece of a long run into the document of proof. It
// fails the test if a solver has left more than 2 % of its questions unanswered. On a busy machine z3 did not answer
// one of 716 questions in time.
func report(tb testing.TB, list []*judge, piece judged) {
	tb.Helper()
	piece.write(tb, list)
	for _, j := range list {
		tb.Logf("%s: %d questions in %v, at most %v for one; %d not judged", j.command[0], j.asked,
			j.took.Round(time.Millisecond), j.slowest.Round(time.Millisecond), j.late)
		if j.late*50 > j.asked {
			tb.Errorf("%s has not judged %d of %d questions", j.command[0], j.late, j.asked)
		}
	}
}

// counts returns a text with the counts in the order of their names.
func counts(of map[string]int) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, fmt.Sprintf("%d %s", of[name], name))
	}
	return strings.Join(list, ", ")
}
