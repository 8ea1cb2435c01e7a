package torture

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// toldAlert is an alert as the API returns it.
type toldAlert struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	MergedInto string `json:"merged_into"`
	Status     string `json:"status"`
	Resolution string `json:"resolution"`
	Entity     struct {
		Kind string `json:"kind"`
		Key  string `json:"key"`
	} `json:"entity"`
	Applicants     []string    `json:"applicant_refs"`
	ApplicantCount int         `json:"applicant_count"`
	Decisions      []string    `json:"decision_ids"`
	Acknowledged   string      `json:"acknowledged_at"`
	Closed         string      `json:"closed_at"`
	History        []toldEvent `json:"history"`
}

type toldEvent struct {
	Actor      string `json:"actor"`
	From       string `json:"from"`
	To         string `json:"to"`
	Resolution string `json:"resolution"`
	Note       string `json:"note"`
}

// shownDecisions is the maximum number of decisions that an alert lists.
const shownDecisions = 200

// alertsAreLegal checks the alerts that have not been checked yet, or all
// alerts if everything is checked.
func (c *checker) alertsAreLegal() error {
	err := each(c.scope.fresh(slices.Collect(maps.Keys(c.scope.alerts))), func(id string) error {
		body, err := c.read(c.scope.get("/v1/fraud/alerts/" + id))
		if err != nil {
			return err
		}
		var told toldAlert
		if err := unmarshal(body, &told); err != nil {
			return err
		}
		c.learn(func() {
			c.model.alertTold(c.scope, told)
			c.model.historyTold(c.scope, c.scope.alerts[id], told)
		})
		return nil
	})
	if err != nil || !c.whole {
		return err
	}
	blocked, err := c.blocked()
	if err != nil {
		return err
	}
	unfinished := map[string]string{}
	return c.pages("/v1/fraud/alerts?limit=200", func(page listed) bool {
		c.learn(func() {
			for _, raw := range page.Data {
				var told toldAlert
				_ = json.Unmarshal(raw, &told) // an unreadable alert has no legal state
				c.model.alertTold(c.scope, told)
				c.model.alertListed(c.scope, told, unfinished, blocked)
			}
		})
		return true
	})
}

// alertTold checks that the state of an alert is legal, that all of its decisions
// were answered, and that all of its applicants belong to the scope.
func (m *model) alertTold(s *scope, told toldAlert) {
	acknowledged, closed := told.Acknowledged != "", told.Closed != ""
	var legal bool
	switch told.Status {
	case "open":
		legal = !acknowledged && !closed && told.Resolution == ""
	case "acknowledged":
		legal = acknowledged && !closed && told.Resolution == ""
	case "closed":
		legal = closed && told.Resolution != ""
	}
	if !legal || told.ApplicantCount < len(told.Applicants) {
		m.violate("alerts-legal", "alert %s of %s: %+v", told.ID, s, told)
	}
	for _, id := range told.Decisions {
		if s.decisions[id] == nil {
			m.violate("alerts-legal", "alert %s of %s names the decision %s, which no answer contained", told.ID, s, id)
		}
	}
	for _, ref := range told.Applicants {
		if !strings.HasPrefix(ref, s.word) {
			m.violate("no-foreign-byte", "alert %s of %s names %s", told.ID, s, ref)
		}
	}
}

// historyTold compares the history of an alert with the requests. The history must contain every answered step, and
// each step must follow from the step before. Every step must have a request, except the first step and a merge,
// which the service itself makes.
func (m *model) historyTold(s *scope, known *alert, told toldAlert) {
	at := ""
	steps := 0
	for i, event := range told.History {
		first := i == 0 && event.From == "" && event.To == "open" && event.Actor == "system"
		next := i > 0 && event.From == at &&
			(at == "open" && event.To == "acknowledged" || at == "open" && event.To == "closed" ||
				at == "acknowledged" && event.To == "closed")
		if !first && !next {
			m.violate("alerts-legal", "alert %s of %s went from %q to %q: %+v", told.ID, s, at, event.To, told.History)
		}
		if i > 0 && !known.asked(event) && !told.merged(event) {
			m.violate("alerts-legal", "alert %s of %s took a step that nobody asked for: %+v", told.ID, s, event)
		}
		at = event.To
		steps++
	}
	if steps == 0 || at != told.Status {
		m.violate("alerts-legal", "alert %s of %s is %s, its history ends with %q", told.ID, s, told.Status, at)
	}
	for _, step := range known.steps {
		if step.taken && !slices.ContainsFunc(told.History, step.is) {
			m.violate("nothing-lost", "alert %s of %s: the step %+v was answered and is not in its history",
				told.ID, s, *step)
		}
	}
}

// merged reports whether the service itself made the step: it closes a ring's
// alert when the ring is merged into another.
func (a toldAlert) merged(event toldEvent) bool {
	return a.Type == "ring" && a.MergedInto != "" && event.Actor == "system" && event.To == "closed" &&
		event.Resolution == "duplicate"
}

func (s *step) is(event toldEvent) bool {
	return event.To == s.to && event.Note == s.note && event.Resolution == s.resolution
}

func (a *alert) asked(event toldEvent) bool {
	return slices.ContainsFunc(a.steps, func(s *step) bool { return s.is(event) })
}

// alertListed checks three conditions. An entity has at most one alert that is not closed, confirmed entities are
// blocked, and an alert lists the decisions that raised it.
func (m *model) alertListed(s *scope, told toldAlert, unfinished map[string]string, blocked map[string]bool) {
	entity := told.Entity.Kind + " " + told.Entity.Key
	if told.Status != "closed" {
		if other := unfinished[told.Entity.Kind+" "+told.Entity.Key]; other != "" {
			m.violate("alerts-legal", "%s and %s of %s are about one thing at the same time", other, told.ID, s)
		}
		unfinished[entity] = told.ID
	}
	// A confirmed alert about a ring, an address, a pincode or an agent blocks
	// the accounts that its applicants share, not the entity itself.
	itself := !slices.Contains([]string{"ring", "ip", "pincode", "agent"}, told.Entity.Kind)
	if told.Resolution == "confirmed_fraud" && itself && !blocked[entity] {
		m.violate("nothing-lost", "alert %s of %s was confirmed and %s is not blocked", told.ID, s, entity)
	}
	if len(told.Decisions) >= shownDecisions {
		return
	}
	for _, d := range s.decisions {
		if slices.Contains(d.alerts, told.ID) && !slices.Contains(told.Decisions, d.id) {
			m.violate("alerts-legal", "decision %s of %s raised alert %s and is not among its decisions",
				d.id, s, told.ID)
		}
	}
}

// blocked reads the block list.
func (c *checker) blocked() (map[string]bool, error) {
	list := map[string]bool{}
	err := c.pages("/v1/fraud/blocklist?limit=200", func(page listed) bool {
		for _, raw := range page.Data {
			var entity struct{ Kind, Key string }
			_ = json.Unmarshal(raw, &entity) // an unreadable entry blocks nothing
			list[entity.Kind+" "+entity.Key] = true
		}
		return true
	})
	return list, err
}

// countersAreExact previews an application with each account. The preview shows how many applicants the service has
// seen with the account. Unless everything is checked, countersAreExact tries only eight accounts. The count must
// be the number of applicants whose applications succeeded, plus one for the applicant of the preview.
func (c *checker) countersAreExact() error {
	if c.model.faults.ever("clock") {
		return nil // the moved clock puts observations outside of their windows
	}
	accounts := slices.Sorted(maps.Keys(c.scope.accounts))
	if !c.whole && len(accounts) > 8 {
		accounts = accounts[c.checks*8%(len(accounts)-8):][:8]
	}
	return each(accounts, func(no string) error {
		t := shared{
			applicant: c.scope.word + "-asks", account: no, ip: ipMark + "ffff::1", device: "asks", agent: "asks",
			mobile: "asks", email: "asks@example.in",
		}
		r := c.scope.get("/v1/decisions/preview")
		r.method, r.contentType, r.body = http.MethodPost, jsonType, []byte(profileOf(0).evaluation(t, false))
		body, err := c.read(r)
		if err != nil {
			return err
		}
		var told toldDecision
		if err := unmarshal(body, &told); err != nil || told.Fraud == nil {
			return fmt.Errorf("%s: no fraud in %s", r, short(body))
		}
		c.learn(func() { c.model.counterTold(c.scope, no, told.Fraud) })
		return nil
	})
}

// counterTold compares the count of an account with the model. No request may
// be in progress.
func (m *model) counterTold(s *scope, accountNo string, told *toldFraud) {
	applicants := map[string]struct{}{}
	for _, seen := range s.accounts[accountNo].seen {
		if seen.request.done && seen.request.status < 400 {
			applicants[seen.applicant] = struct{}{}
		}
	}
	if n, said := told.sharers(); !said || n != len(applicants)+1 {
		m.violate("fraud-counted", "account %s of %s has %d applicants besides the one who asks, but %d are counted",
			accountNo, s, len(applicants), n)
	}
}
