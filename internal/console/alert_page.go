package console

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"verdict/internal/chart"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/frauddesk"
)

// alertResolutions lists the resolutions of an alert, with their consequences.
var alertResolutions = []option{
	{
		Value: "confirmed_fraud",
		Label: "Confirmed fraud",
		Hint:  "Only what you select below is blocked.",
	},
	{
		Value: "false_positive",
		Label: "False positive",
		Hint:  "No new alert about the same thing is raised for the days set in the thresholds.",
	},
	{Value: "duplicate", Label: "Duplicate"},
	{Value: "other", Label: "Something else"},
}

// alert renders one alert: the ring, the applicants with their decisions, and the actions that the person can take.
func (p *fraudPages) alert(v *visit) error {
	found, err := p.fraud.Alert(v.ctx, v.caller(), v.id("id"))
	if err != nil {
		return err
	}

	ring, err := p.fraud.Ring(v.ctx, v.caller(), found.ID)
	if err != nil {
		return err
	}
	if found.Graph != nil { // draw only the entities that form the ring, not every address and pincode
		ring = *found.Graph
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	decided, err := p.decisions.Summaries(v.ctx, v.caller(), found.DecisionIDs)
	if err != nil {
		return err
	}

	data := struct {
		Alert          alertRow
		Ring           chart.Ring
		Shared, Single []ringEntity
		People         []ringPerson
		Truncated      bool
		Names          map[string]string
		MayClose       bool
		Resolutions    []option
		Block          []blockChoice
	}{
		Alert:       alertRows([]frauddesk.Alert{found})[0],
		People:      peopleOf(&found, &ring, decided),
		Truncated:   ring.Truncated,
		Names:       names,
		MayClose:    found.Status != "closed",
		Resolutions: alertResolutions,
	}
	if data.MayClose {
		data.Block = blockChoices(found, ring, v.form)
	}

	data.Ring = ringOf(ring, func(ref string) string { return v.personAddress(data.People, ref) })

	for i, e := range ring.Entities {
		entity := ringEntity{
			Anchor:     entityAnchor(i),
			Kind:       entityKinds[e.Kind],
			Display:    e.Display,
			Applicants: e.Applicants,
			Itself:     e.Kind == found.Entity.Kind && e.Key == found.Entity.Key,
		}
		if e.Applicants < sharedBy {
			data.Single = append(data.Single, entity)
		} else {
			data.Shared = append(data.Shared, entity)
		}
	}

	return v.render("alert", data.Alert.Title, data)
}

// blockChoice is an entity that can be added to the block list when an alert is closed as confirmed
// fraud.
type blockChoice struct {
	Value, Kind, Display string
	Who                  string // the people who would be blocked
	Checked              bool
}

// widelyShared lists the kinds of entities that unrelated people may share. Each value says who
// would be declined if such an entity were blocked.
var widelyShared = map[string]string{
	"ip":      "everybody who applies from this internet address",
	"pincode": "everybody who applies from this pincode",
	"agent":   "everybody who applies through this agent",
}

// blockChoices returns the entity of an alert and the entities that link its applicants. It
// preselects the same entities as the API blocks by default. It never preselects an IP address, a
// pincode or an agent, because unrelated people may share them. Of the other linking entities it
// preselects only bank accounts, because a family may share a device or a phone number. It
// preselects these bank accounts only if the alert is about a ring, an IP address, a pincode or an
// agent.
func blockChoices(a frauddesk.Alert, ring frauddesk.Ring, f *form) []blockChoice {
	var list []blockChoice
	add := func(kind, key, display, who string, checked bool) {
		choice := blockChoice{
			Value:   kind + " " + key,
			Kind:    entityKinds[kind],
			Display: display,
			Who:     who,
			Checked: checked,
		}
		if f.Posted() {
			choice.Checked = f.Has("block", choice.Value)
		}
		list = append(list, choice)
	}
	who, wide := widelyShared[a.Entity.Kind]
	isRing := a.Entity.Kind == "ring"
	if !isRing {
		if !wide {
			who = "shared by " + grouped(fmt.Sprint(a.ApplicantCount)) + " applicants"
		}
		add(a.Entity.Kind, a.Entity.Key, a.Entity.Display, who, !wide)
	}

	for _, e := range ring.Tying().Entities {
		if e.Kind != a.Entity.Kind || e.Key != a.Entity.Key {
			checked := (isRing || wide) && e.Kind == "beneficiary_account"
			add(e.Kind, e.Key, e.Display, "shared by "+grouped(fmt.Sprint(e.Applicants))+" applicants", checked)
		}
	}

	return list
}

// ringEntity is an entity that applicants of an alert use.
type ringEntity struct {
	Anchor        string // the HTML id of its row
	Kind, Display string
	Applicants    int64
	Itself        bool // whether the alert is about this entity
}

func entityAnchor(i int) string { return "entity-" + itoa(i) }

// ringPerson is an applicant of an alert, with the entities that the applicant shares with others and the applicant's
// decisions.
type ringPerson struct {
	Ref       string // "" for decisions without a reference
	Shares    []ringEntity
	Decisions []decisioning.DecisionSummary // newest first
}

// peopleOf returns the applicants of an alert. Applicants with the most shared entities come first.
func peopleOf(
	a *frauddesk.Alert, r *frauddesk.Ring, decided map[string]decisioning.DecisionSummary,
) []ringPerson {
	list, at := []ringPerson{}, map[string]int{}
	person := func(ref string) *ringPerson {
		if _, known := at[ref]; !known {
			at[ref] = len(list)
			list = append(list, ringPerson{Ref: ref})
		}
		return &list[at[ref]]
	}
	for _, ref := range a.ApplicantRefs {
		person(ref)
	}
	for _, id := range a.DecisionIDs {
		if d, found := decided[id]; found {
			p := person(d.ApplicantRef)
			p.Decisions = append(p.Decisions, d)
		}
	}
	entities := map[[2]string]ringEntity{}
	for i, e := range r.Entities {
		if e.Applicants >= sharedBy {
			entities[[2]string{e.Kind, e.Key}] = ringEntity{
				Anchor: entityAnchor(i), Kind: entityKinds[e.Kind], Display: e.Display,
			}
		}
	}
	for _, e := range r.Edges {
		if entity, shared := entities[[2]string{e.Kind, e.Key}]; shared {
			p := person(e.ApplicantRef)
			p.Shares = append(p.Shares, entity)
		}
	}
	for i := range list {
		slices.SortFunc(list[i].Decisions,
			func(a, b decisioning.DecisionSummary) int { return cmp.Compare(b.ID, a.ID) })
	}
	slices.SortStableFunc(list, func(a, b ringPerson) int { return cmp.Compare(len(b.Shares), len(a.Shares)) })
	return list
}

// personAddress returns the address of an applicant's newest decision. If no decision is known, it returns the address
// of a search for the applicant.
func (v *visit) personAddress(people []ringPerson, ref string) string {
	i := slices.IndexFunc(people, func(p ringPerson) bool { return p.Ref == ref })
	if i >= 0 && len(people[i].Decisions) > 0 {
		return v.at("/decisions/" + people[i].Decisions[0].ID)
	}
	return v.at("/decisions?q=" + url.QueryEscape(ref))
}

// sharedBy is the minimum number of applicants that an entity needs to appear in the chart. An
// entity with a single applicant links nobody.
const sharedBy = 2

// ringOf returns the chart of a ring: shared entities on the left, applicants on the right. address returns the page of
// an applicant.
func ringOf(r frauddesk.Ring, address func(ref string) string) chart.Ring {
	picture := chart.Ring{Head: chart.Head{
		ID: "ring", Title: "Who shares what",
		Description: "On the left, what two or more applicants share; on the right, the applicants. " +
			"Each line is a link. A name opens the newest decision.",
	}}
	at := map[[2]string]int{}
	for i, e := range r.Entities {
		if e.Applicants < sharedBy {
			continue
		}
		at[[2]string{e.Kind, e.Key}] = len(picture.Nodes)
		picture.Nodes = append(picture.Nodes, chart.Node{
			Label: e.Display, Kind: entityKinds[e.Kind], Inner: true, Link: "#" + entityAnchor(i),
		})
	}

	applicants := map[string]int{}
	for _, ref := range r.Applicants {
		applicants[ref] = len(picture.Nodes)
		picture.Nodes = append(picture.Nodes, chart.Node{Label: ref, Kind: "Applicant", Link: address(ref)})
	}

	for _, e := range r.Edges {
		from, shared := at[[2]string{e.Kind, e.Key}]
		to, known := applicants[e.ApplicantRef]
		if shared && known {
			picture.Links = append(picture.Links, chart.Link{From: from, To: to})
		}
	}

	return picture
}

func (p *fraudPages) acknowledgeAlert(v *visit) error {
	return p.moveAlert(v, "acknowledged", "The alert is acknowledged.")
}

// closeAlert closes an alert. In live, the person must confirm, because closing may block entities or suppress further
// alerts about them.
func (p *fraudPages) closeAlert(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.alert)
	}
	return p.moveAlert(v, "closed", "The alert is closed.")
}

func (p *fraudPages) moveAlert(v *visit, to, said string) error {
	move := frauddesk.AlertMove{To: to, Resolution: v.form.Value("resolution"), Note: v.form.Value("note")}
	if v.form.Value("choose") != "" && v.form.Value("resolution") == "confirmed_fraud" {
		var err error
		if move.Block, err = chosenEntities(v.form); err != nil {
			return v.redraw(err, p.alert)
		}
	}

	if _, err := p.fraud.MoveAlert(v.ctx, v.caller(), v.id("id"), move); err != nil {
		return v.redraw(err, p.alert)
	}

	return v.done(said, "/fraud/alerts/"+v.id("id"))
}

// chosenEntities returns the entities that were selected for blocking. All of them get the expiry
// date of the form.
func chosenEntities(f *form) ([]frauddesk.BlockEntity, error) {
	var faults fault.List
	expires := day(&faults, "/expires_at", f.Value("expires_at"))
	list := []frauddesk.BlockEntity{}
	for _, chosen := range f.Values("block") {
		kind, key, _ := strings.Cut(chosen, " ")
		list = append(list, frauddesk.BlockEntity{Kind: kind, Key: key, ExpiresAt: endOfDay(expires)})
	}
	return list, faults.Err()
}
