package smt

import (
	"fmt"
	"slices"
	"strings"

	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/rule"
)

// Question is a question in SMT-LIB 2.
type Question struct {
	Text []byte
	// Free lists the predicates that may hold or fail freely. If there are any, sat does not prove that there is an
	// applicant.
	Free []string
}

// Differ asks whether there is an applicant whom two plans, compiled with the same catalogue, treat differently.
func Differ(old, changed *engine.Plan) Question {
	w := &writer{catalogue: old.Catalogue(), texts: map[string]int{}, declared: map[string]bool{}}
	sides := [2]*side{newSide("old", old), newSide("new", changed)}
	sides[0].derive(sides[1])
	sides[1].derive(sides[0])
	grades := gradesOf(old.Policy(), changed.Policy())
	for _, s := range sides {
		s.writer = w
		s.write(grades)
	}
	w.newToCredit()
	w.named()
	w.define("different", "Bool", `(or (distinct |old status| |new status|)
  (and (< |old status| 2) (< |new status| 2)
    (or (distinct |old grade| |new grade|) (distinct |old rate| |new rate|))))`)

	return w.question("Is there an applicant whom the two policies treat differently? sat: yes; unsat: no.\n"+
		"; The question covers the status and, if neither policy declines, the grade and the interest rate.",
		"different")
}

// question returns the text that asks whether a defined name is true for some applicant.
func (w *writer) question(title, asked string) Question {
	var b strings.Builder
	b.WriteString("; " + title + "\n" +
		"; The status is the result of Stage 1, the scorecard and the bands. Limits, Stage 2 and the conditions of " +
		"the\n; offer are not part of the question.\n" +
		"; A fact NAME has a value if |NAME?| is true. Numbers that are not whole are in millionths.\n")
	for _, text := range w.free {
		fmt.Fprintf(&b, "; This predicate may hold or fail freely: %s\n", strings.ReplaceAll(text, "\n", " "))
	}
	b.WriteString("(set-logic QF_LIA)\n")
	b.WriteString(w.facts.String())
	b.WriteString(w.body.String())
	fmt.Fprintf(&b, "(assert %s)\n(check-sat)\n", asked)
	return Question{Text: []byte(b.String()), Free: w.free}
}

// writer collects the declarations of facts and the definitions that use them.
type writer struct {
	catalogue *rule.Catalogue
	facts     strings.Builder
	body      strings.Builder
	declared  map[string]bool
	texts     map[string]int // codes of the texts that open fields are compared with
	scored    []string       // facts that an applicant who is new to credit does not have
	free      []string
}

// define defines a name as the value of a term.
func (w *writer) define(name, sort, term string) {
	fmt.Fprintf(&w.body, "(define-fun %s () %s %s)\n", quoted(name), sort, term)
}

// quoted returns a name as a symbol. A quoted symbol of SMT-LIB may contain any character except | and \.
func quoted(name string) string {
	return "|" + strings.NewReplacer("|", "/", `\`, "/").Replace(name) + "|"
}

func and(terms ...string) string { return join("and", "true", terms) }
func or(terms ...string) string  { return join("or", "false", terms) }
func not(term string) string     { return "(not " + term + ")" }

func join(op, none string, terms []string) string {
	switch len(terms) {
	case 0:
		return none
	case 1:
		return terms[0]
	default:
		return "(" + op + " " + strings.Join(terms, " ") + ")"
	}
}

// integer returns a number as a term. SMT-LIB has no negative literals.
func integer(n int64) string {
	if n < 0 {
		return fmt.Sprintf("(- %d)", -n)
	}
	return fmt.Sprint(n)
}

func ite(condition, then, otherwise string) string {
	return "(ite " + condition + " " + then + " " + otherwise + ")"
}

// fact is a field of an application as the formulas see it.
type fact struct {
	given string // a term: whether the fact has a value
	value string // a term: a number in millionths, a boolean, or the code of a text
	typ   rule.Type
	words []string // the possible texts; nil if any text is possible
}

// fact returns a field as a fact. It declares the fact on first use.
func (w *writer) fact(ref rule.Ref) fact {
	name := quoted(ref.Name)
	out := fact{given: quoted(ref.Name + "?"), value: name, typ: ref.Type}
	unit := rule.Number(1)
	least, most := -rule.MaxNumber, rule.MaxNumber
	scored := false
	if ref.ID >= 0 {
		f := w.catalogue.Field(ref.ID)
		scored, out.words = f.BureauScored, f.Values
		switch {
		case f.Integer:
			unit = rule.One
		case f.Paise:
			unit = rule.Paisa
		}
		if f.BoundedBelow {
			least = f.Min
		}
		if f.BoundedAbove {
			most = f.Max
		}
	}
	sort := "Int"
	if ref.Type == rule.BoolType {
		sort = "Bool"
	}
	if ref.Type == rule.NumberType && unit > 1 {
		out.value = fmt.Sprintf("(* %d %s)", int64(unit), name)
	}
	if w.declared[ref.Name] {
		return out
	}
	w.declared[ref.Name] = true
	fmt.Fprintf(&w.facts, "(declare-const %s Bool)\n(declare-const %s %s)\n", out.given, name, sort)
	switch ref.Type {
	case rule.NumberType:
		fmt.Fprintf(&w.facts, "(assert (<= %s %s %s))\n", integer(int64(least)), out.value, integer(int64(most)))
	case rule.StringType:
		fmt.Fprintf(&w.facts, "(assert (<= 0 %s))\n", name)
		if len(out.words) > 0 {
			fmt.Fprintf(&w.facts, "(assert (< %s %d))\n", name, len(out.words))
		}
	}
	if scored {
		w.scored = append(w.scored, out.given)
	}
	return out
}

// newToCredit asserts that an applicant whose bureau_is_ntc is true has no bureau score, and that an applicant whose
// bureau_is_ntc is false has one.
func (w *writer) newToCredit() {
	ntc, ok := w.catalogue.Lookup(field.BureauIsNTC)
	if !ok || len(w.scored) == 0 {
		return
	}
	f := w.fact(rule.Ref{Name: field.BureauIsNTC, ID: ntc, Type: rule.BoolType})
	fmt.Fprintf(&w.body, "(assert (=> %s %s))\n", and(f.given, f.value), not(or(w.scored...)))
	if w.declared[field.BureauScore] {
		fmt.Fprintf(&w.body, "(assert (=> %s %s))\n", and(f.given, not(f.value)), quoted(field.BureauScore+"?"))
	}
}

// named asserts that an applicant with a reference has all the facts that field.OwnOfNamed lists.
func (w *writer) named() {
	if !w.declared[field.OwnReference] {
		return
	}
	for _, name := range field.OwnOfNamed() {
		if w.declared[name] {
			fmt.Fprintf(&w.body, "(assert (=> %s %s))\n", and(quoted(field.OwnReference+"?"),
				quoted(field.OwnReference)), quoted(name+"?"))
		}
	}
}

// code returns the code of a text. ok is false if the field cannot have the text.
func (w *writer) code(f *fact, text string) (code int, ok bool) {
	if len(f.words) > 0 {
		code = slices.Index(f.words, text)
		return code, code >= 0
	}
	code, ok = w.texts[text]
	if !ok {
		code = len(w.texts)
		w.texts[text] = code
	}
	return code, true
}
