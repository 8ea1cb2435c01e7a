package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

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

	return v.render("run", "Agent run", struct {
		Run    agent.Run
		By     string
		Record agent.Record
		Memo   []memoBlock
		Raw    string
	}{
		Run:    repeated,
		By:     names[stored.Actor],
		Record: record,
		Memo:   readMemo(record.Memo),
		Raw:    raw.String(),
	})
}

// memoBlock is a heading, a paragraph or a list of a memo.
type memoBlock struct {
	Heading, Text string
	Items         []memoItem
}

// memoItem is a statement of a memo, with the sources it cites.
type memoItem struct{ Text, Cites string }

// readMemo reads the subset of Markdown that memos use. It leaves out the title. Everything
// else is treated as text and never becomes HTML.
func readMemo(text string) []memoBlock {
	var blocks []memoBlock
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		last := len(blocks) - 1
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "## "):
			blocks = append(blocks, memoBlock{Heading: unescaped(line[3:])})
		case strings.HasPrefix(line, "- "):
			if last < 0 {
				blocks, last = append(blocks, memoBlock{}), 0
			}
			blocks[last].Items = append(blocks[last].Items, memoStatement(line[2:]))
		default:
			blocks = append(blocks, memoBlock{Text: unescaped(line)})
		}
	}
	return blocks
}

// memoStatement splits the cited sources from the end of a statement. Brackets inside the text are
// escaped in the memo.
func memoStatement(line string) memoItem {
	at := strings.LastIndex(line, " [")
	if at < 0 || !strings.HasSuffix(line, "]") || strings.HasSuffix(line, `\]`) {
		return memoItem{Text: unescaped(line)}
	}
	return memoItem{unescaped(line[:at]), unescaped(line[at+2 : len(line)-1])}
}

// unescaped removes the backslashes that escape Markdown.
func unescaped(text string) string {
	var b strings.Builder
	escaped := false
	for _, r := range text {
		if r == '\\' && !escaped {
			escaped = true
			continue
		}
		escaped = false
		b.WriteRune(r)
	}

	return b.String()
}
