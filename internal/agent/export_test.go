package agent

import (
	"time"

	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/recovery"
	"verdict/internal/wire"
)

// Objection says why a model's prose is not taken.
var Objection = objection

// Escape keeps a text from being anything but text in Markdown.
var Escape = escape

// ReadAsk reads a request's own members and writes them as they are stored.
func ReadAsk(body wire.Value) (stored []byte, err error) {
	a, err := readAsk(body)
	return written(a), err
}

// ReadStoredAsk reads what is stored and writes it again.
func ReadStoredAsk(stored []byte) (again []byte, err error) {
	a, err := readStoredAsk(stored)
	return written(a), err
}

// FirstCollections makes the record of a run as the first edition of the
// collections agent did, under the strategy that tenants started with.
func FirstCollections(body wire.Value, head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
	c, err := recovery.ReadFirst(body, now)
	if err != nil {
		return agentdesk.RunRecord{}, err
	}
	r := newRecoveryRun(&c, agentdesk.Strategy{Recovery: recovery.FirstStrategy()})
	var w, request wire.Writer
	r.write(&w, head)
	request.Object().Key("as_of").String(c.AsOf.Format(time.RFC3339)).Key("case").Value(body).Key("strategy_version").Int(0).EndObject()
	return agentdesk.RunRecord{
		Agent: agentdesk.AgentCollections, Outcome: r.advice.Next.Action.String(), Hash: r.hash(), Request: request.Buf, Response: w.Buf,
	}, nil
}

// SecondCollections makes the record of a run as the second edition did, which
// named no member that was probably meant.
func SecondCollections(body wire.Value, head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
	c, err := recovery.ReadSecond(body, now)
	if err != nil {
		return agentdesk.RunRecord{}, err
	}
	r := newRecoveryRun(&c, agentdesk.Strategy{Recovery: recovery.DefaultStrategy()})
	var w, request wire.Writer
	r.write(&w, head)
	request.Object().Key("as_of").String(c.AsOf.Format(time.RFC3339)).Key("case").Value(body).Key("strategy_version").Int(0).
		Key("edition").Int(int64(secondEdition)).EndObject()
	return agentdesk.RunRecord{
		Agent: agentdesk.AgentCollections, Outcome: r.advice.Next.Action.String(), Hash: r.hash(), Request: request.Buf, Response: w.Buf,
	}, nil
}

// ThirdCollections makes the record of a run as the third edition did, which knew
// microfinance by its own name alone.
func ThirdCollections(body wire.Value, head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
	c, err := recovery.ReadThird(body, now)
	if err != nil {
		return agentdesk.RunRecord{}, err
	}
	r := newRecoveryRun(&c, agentdesk.Strategy{Recovery: recovery.DefaultStrategy()})
	var w, request wire.Writer
	r.write(&w, head)
	request.Object().Key("as_of").String(c.AsOf.Format(time.RFC3339)).Key("case").Value(body).Key("strategy_version").Int(0).
		Key("edition").Int(int64(thirdEdition)).EndObject()
	return agentdesk.RunRecord{
		Agent: agentdesk.AgentCollections, Outcome: r.advice.Next.Action.String(), Hash: r.hash(), Request: request.Buf, Response: w.Buf,
	}, nil
}

func written(a ask) []byte {
	var w wire.Writer
	a.write(&w)
	return w.Buf
}
