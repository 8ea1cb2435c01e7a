package console

import (
	"bytes"
	"encoding/json"
	"fmt"

	"verdict/internal/agent"
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/tenant"
)

// runPages serves the runs of the agents: the list, and one run with its memo and steps.
type runPages struct {
	agents    *agentdesk.Service
	decisions *decisioning.Service
	people    directory
}

func (p *runPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/runs", handle: p.runs, scope: tenant.Read},
		{pattern: "GET /console/{env}/runs/{id}", handle: p.run, scope: tenant.Read},
	}
}

func (p *runPages) runs(v *visit) error {
	list, filters := v.listing(), v.filters()
	page, err := p.agents.AgentRuns(v.ctx, v.caller(), agentdesk.RunFilter{
		Agent: filters.Value("agent"), Outcome: filters.Value("outcome"), SubjectRef: filters.Value("subject"),
	}, list)
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	return v.render("runs", "Agent runs", struct {
		Filters *form
		Agents  []option
		Rows    []agentdesk.Run
		Names   map[string]string
		Pager   pager
	}{
		Filters: filters,
		Agents:  stateOptions([]string{decisioning.AgentUnderwriting, agentdesk.AgentCollections}),
		Rows:    page.Data,
		Names:   names,
		Pager:   v.pager(page.NextCursor),
	})
}

// run renders one run: the recommendation, the reasons, and every step. It repeats the run and
// shows whether the result is the same.
func (p *runPages) run(v *visit) error {
	stored, err := p.agents.AgentRun(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	repeated, err := agent.New(p.decisions, p.agents, agent.Options{}).Run(v.ctx, v.caller(), stored.ID)
	if err != nil {
		return err
	}

	record, err := agent.ReadRecord(stored.Response)
	if err != nil {
		return fmt.Errorf("read run %s: %w", stored.ID, err)
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	var raw bytes.Buffer
	if err := json.Indent(&raw, stored.Response, "", "  "); err != nil {
		return fmt.Errorf("read run %s: %w", stored.ID, err)
	}

	for i := range record.Steps {
		step := &record.Steps[i]
		step.Result = readableMemo(step.Result, changedFields(&record), "Steps")
	}

	return v.render("run", "Agent run", struct {
		Run    agent.Run
		By     string
		Record agent.Record
		Memo   []memoPart
		Raw    string
	}{
		Run:    repeated,
		By:     names[stored.Actor],
		Record: record,
		Memo:   partsOf(readMemo(&record)),
		Raw:    raw.String(),
	})
}
