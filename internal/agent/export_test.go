package agent

import (
	"time"

	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/recovery"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// Objection returns the reason why a model's prose is rejected.
var Objection = objection

// Escape escapes a text so that Markdown shows it as plain text.
var Escape = escape

// ReadAsk reads the agent's own members of a request and returns them as they
// are stored.
func ReadAsk(body wire.Value) (stored []byte, err error) {
	a, err := readAsk(body)
	return written(a), err
}

// ReadStoredAsk reads the stored members and returns them as they would be stored
// again.
func ReadStoredAsk(stored []byte) (again []byte, err error) {
	a, err := readStoredAsk(stored)
	return written(a), err
}

// FirstCollections returns the record of a run as the first edition of the
// collections agent made it, under the default strategy of that time.
func FirstCollections(body wire.Value, head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
	c, err := recovery.ReadFirst(body, now)
	if err != nil {
		return agentdesk.RunRecord{}, err
	}
	r := newRecoveryRun(&c, agentdesk.Strategy{Recovery: recovery.FirstStrategy()})
	var w, request wire.Writer
	r.write(&w, head)
	request.Object().Key("as_of").String(c.AsOf.Format(time.RFC3339)).Key("case").Value(body).Key("strategy_version").
		Int(0).EndObject()
	return agentdesk.RunRecord{
		Agent:    agentdesk.AgentCollections,
		Outcome:  r.advice.Next.Action.String(),
		Hash:     r.hash(),
		Request:  request.Buf,
		Response: w.Buf,
	}, nil
}

// SecondCollections returns the record of a run as the second edition made it.
// That edition suggested no nearest member names.
func SecondCollections(body wire.Value, head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
	c, err := recovery.ReadSecond(body, now)
	if err != nil {
		return agentdesk.RunRecord{}, err
	}
	r := newRecoveryRun(&c, agentdesk.Strategy{Recovery: recovery.DefaultStrategy()})
	var w, request wire.Writer
	r.write(&w, head)
	request.Object().Key("as_of").String(c.AsOf.Format(time.RFC3339)).Key("case").Value(body).Key("strategy_version").
		Int(0).
		Key("edition").Int(int64(secondEdition)).EndObject()
	return agentdesk.RunRecord{
		Agent:    agentdesk.AgentCollections,
		Outcome:  r.advice.Next.Action.String(),
		Hash:     r.hash(),
		Request:  request.Buf,
		Response: w.Buf,
	}, nil
}

// ThirdCollections returns the record of a run as the third edition made it. That edition recognized microfinance only
// by the letters "micro" in the product's name.
func ThirdCollections(body wire.Value, head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
	c, err := recovery.ReadThird(body, now)
	if err != nil {
		return agentdesk.RunRecord{}, err
	}
	r := newRecoveryRun(&c, agentdesk.Strategy{Recovery: recovery.DefaultStrategy()})
	var w, request wire.Writer
	r.write(&w, head)
	request.Object().Key("as_of").String(c.AsOf.Format(time.RFC3339)).Key("case").Value(body).Key("strategy_version").
		Int(0).
		Key("edition").Int(int64(thirdEdition)).EndObject()
	return agentdesk.RunRecord{
		Agent:    agentdesk.AgentCollections,
		Outcome:  r.advice.Next.Action.String(),
		Hash:     r.hash(),
		Request:  request.Buf,
		Response: w.Buf,
	}, nil
}

func written(a ask) []byte {
	var w wire.Writer
	a.write(&w)
	return w.Buf
}

// StatementsAboutPeople returns the statements about people and income in a memo of an edition, each with its
// section.
func StatementsAboutPeople(made int64, plan *engine.Plan, facts *rule.Facts, d *engine.Decision) (said []string) {
	m := memoWriter{study: &study{ask: ask{edition: edition(made)}, plan: plan, facts: facts}, decision: d}
	m.sayPeople()
	m.sayIncome()
	for _, s := range m.statements {
		said = append(said, s.section+": "+s.text)
	}
	return said
}
