package agent_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"verdict/internal/agent"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/golden"
	"verdict/internal/rule"
)

// couples is a policy that adds up incomes, counts the lower or the higher score, and reads the guarantor's score.
const couples = `{"name":"Couples","semantics":2,"include_defaults":false,"people":{"score":"%s"},
	"affordability":{"income":{"of":["monthly_income"]},"obligations":{"of":["declared","bureau"],"take":"highest"},
		"people":"all"},
	"knockouts":[{"id":"KO_SCORE","condition_ast":{"op":"lt","field":"bureau_score","value":700}},
		{"id":"RF_GUARANTOR","action":"refer","condition_ast":{"op":"lt","field":"guarantor.bureau_score",
		"value":720}}],
	"scorecard":{"base_points":700,"factors":[]},
	"pricing_bands":[{"id":"P","grade":"A","min_score":300,"max_score":900,"interest_rate":12,"tenure_months":60,
		"min_limit":50000,"max_limit":2000000,"default_limit":50000,"foir_cap":0.5},
		{"id":"N","grade":"N","ntc":true,"action":"refer","interest_rate":20,"tenure_months":12,"min_limit":1000,
		"max_limit":50000,"default_limit":10000,"foir_cap":0.3}]}`

// joint returns an application of several people with their bureau scores. It leaves out a co-applicant or guarantor
// whose score is "".
func joint(primary, co, guarantor string) string {
	people := []string{`{"role":"primary","id":"A-1","monthly_income":40000,"foir":0.1,"requested_amount":900000,
		"bureau_report":{"score":` + primary + `}}`}
	const consent = `"consent":{"id":"C-1","at":"2026-11-01T10:00:00+05:30"},`
	if co != "" {
		people = append(people, `{"role":"co_applicant","id":"A-2","monthly_income":30000,"foir":0.2,`+consent+
			`"bureau_report":{"score":`+co+`}}`)
	}
	if guarantor != "" {
		people = append(people, `{"role":"guarantor","id":"A-3","monthly_income":55000,`+consent+
			`"bureau_report":{"score":`+guarantor+`}}`)
	}
	return `{"applicants":[` + strings.Join(people, ",") + `]}`
}

// people derives the statements about the co-applicant and the guarantor from the facts. It compares the two scores
// to find which one counts.
func (a *account) people() {
	const section = "Co-applicant and guarantor"
	for _, who := range []string{"co-applicant", "guarantor"} {
		prefix := strings.ReplaceAll(who, "-", "_") + "."
		for _, line := range []struct{ text, fact string }{
			{"The %s has a bureau score of %s.", "bureau_score"},
			{"The %s is new to credit.", "bureau_is_ntc"},
			{"The %s declares an income of %s a month.", "monthly_income"},
			{"Declared obligations of the %s: %s of that income.", "foir"},
			{"Instalments on the report of the %s: %s a month.", "bureau_own_emi"},
		} {
			name, value := a.fact(prefix + line.fact)
			switch {
			case name == "" || value == "false":
			case value == "true":
				a.say(section, fmt.Sprintf(line.text, who), name+" = true")
			default:
				a.say(section, fmt.Sprintf(line.text, who, value), name+" = "+value)
			}
		}
	}
	policy := a.plan.Policy()
	own, other := a.facts.Get("bureau_score"), a.facts.Get("co_applicant.bureau_score")
	if policy.People == nil || other.Type() == rule.Absent {
		return
	}
	choice := policy.People.Score.String()
	which := map[string]string{"lowest": "lower", "highest": "higher"}[choice]
	counted, whose := own, "the primary applicant"
	switch {
	case own.Type() == rule.Absent && choice == "lowest":
		return // with "lowest", a primary applicant without a score stays new to credit
	case own.Type() == rule.Absent, choice == "lowest" && other.Number() < own.Number(),
		choice == "highest" && other.Number() > own.Number():
		counted, whose = other, "the co-applicant"
	}
	a.countsOther = whose == "the co-applicant"
	a.say(section,
		fmt.Sprintf("The policy counts the %s score of both applicants: %s, that of %s.", which, counted, whose),
		"people.score = "+choice, "counted_bureau_score = "+counted.String())
}

// TestStatementsAboutPeopleCanBeChecked derives the memos of joint applications a second time.
func TestStatementsAboutPeopleCanBeChecked(t *testing.T) {
	t.Parallel()
	for _, choice := range []string{"primary", "lowest", "highest"} {
		t.Run(choice, func(t *testing.T) {
			t.Parallel()
			h := onSQLite(t, agent.Options{})
			h.activate(fmt.Sprintf(couples, choice))
			seen := map[string]bool{}
			for _, scores := range [][3]string{
				{"742", "", ""}, {"742", "655", ""}, {"742", "780", "700"}, {"-1", "760", ""}, {"742", "-1", "-1"},
				{"720", "", "790"},
			} {
				body := joint(scores[0], scores[1], scores[2])
				run := tree(t, h.underwrite(body))
				said := checkMemo(h, body, run)
				about := slices.ContainsFunc(said,
					func(s told) bool { return s.Section == "Co-applicant and guarantor" })
				if about != (scores[1]+scores[2] != "") {
					t.Errorf("%v: a section about other people: %t", scores, about)
				}
				for _, s := range said {
					key, _, _ := strings.Cut(s.Cites[len(s.Cites)-1], " = ")
					seen[key] = true
				}
				if again := tree(t, h.fetched(text(run, "run_id"))); text(again, "replay.verified") != "true" {
					t.Errorf("%v: the run is not verified: %s", scores, encode(again["replay"]))
				}
			}
			if !seen["co_applicant.bureau_score"] || !seen["guarantor.monthly_income"] ||
				seen["counted_bureau_score"] != (choice != "primary") {
				t.Errorf("statements about %v", seen)
			}
		})
	}
}

// TestGoldenMemoOfSeveralPeople compares the memo of a joint application with a golden file that a credit officer can
// read.
func TestGoldenMemoOfSeveralPeople(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	h.activate(fmt.Sprintf(couples, "lowest"))
	golden.File(t, filepath.Join("testdata", "memo", "several people.md"),
		text(tree(t, h.underwrite(joint("742", "655", "700"))), "memo"))
}

// TestFourthEditionOfPeople repeats a run of the fourth edition. The statements about people must be in the same
// section of the memo as in the original run.
func TestFourthEditionOfPeople(t *testing.T) {
	t.Parallel()
	policy, err := engine.ParsePolicy([]byte(fmt.Sprintf(couples, "lowest")),
		engine.Sources{Catalogue: field.Catalogue()})
	if err != nil {
		t.Fatal(err)
	}
	plan, facts := engine.Compile(policy, field.Catalogue()), rule.NewFacts(field.Catalogue())
	facts.Set("bureau_score", rule.Num(rule.Int(742)))
	facts.Set("co_applicant.bureau_score", rule.Num(rule.Int(655)))
	var d engine.Decision
	plan.Decide(facts, &d)
	for edition, want := range map[int64][]string{
		4: {"Income and FOIR: The co-applicant has a bureau score of 655."},
		5: {
			"Co-applicant and guarantor: The co-applicant has a bureau score of 655.",
			"Co-applicant and guarantor: The policy counts the lower score of both applicants: 655, that of the " +
				"co-applicant.",
		},
	} {
		if got := agent.StatementsAboutPeople(edition, plan, facts, &d); !slices.Equal(got, want) {
			t.Errorf("edition %d: %q", edition, got)
		}
	}
}
