package engine

import (
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// memberPatch is the member of a request that changes single entries of the
// base's sections.
const memberPatch = "patch"

// patchable lists the sections whose entries a patch can change, and the member
// that identifies an entry. The section "factors" is inside the scorecard.
var patchable = []struct{ name, id string }{
	{sectionKnockouts, "id"},
	{"adjustments", "id"},
	{"pricing_bands", "id"},
	{sectionFactors, "factor"},
	{"conditions", "code"},
	{sectionLimitCaps, "id"},
	{sectionCharges, "id"},
	{sectionGuarantees, "id"},
}

const sectionFactors = "factors"

// Patched is a request whose patch was applied. It has the complete patched
// sections, so that Inherit treats it like any other request.
type Patched struct {
	Request []byte
	Faults  []fault.Item // the faults of the patch
	places  []movedPlace
}

// movedPlace maps the pointer of an entry in the patched request to the pointer
// of the same entry in the patch.
type movedPlace struct{ now, was string }

// Relocate returns the fault with its pointer into the patched document changed
// to the corresponding pointer into the original request.
func (p Patched) Relocate(item fault.Item) fault.Item {
	for _, m := range p.places {
		if rest, inside := strings.CutPrefix(item.Pointer, m.now); inside && (rest == "" || rest[0] == '/') {
			item.Pointer = m.was + rest
			break
		}
	}
	return item
}

// Patch applies the patch of a request, if it has one, to the sections of the base, which is a stored Document. An
// entry of "set" replaces the base's entry with the same id. If the base has no such entry, the new entry is added
// after the existing entries but before the system rules. "remove" lists the ids of entries to remove. Changes that
// cannot be applied are skipped and reported in Faults.
func Patch(request, base wire.Value) Patched {
	var w wire.Writer
	patch := request.Get(memberPatch)
	if request.Kind() != wire.Object {
		return Patched{Request: w.Value(request).Buf}
	}
	var faults fault.List
	p := patcher{request: request, base: base, faults: &faults}
	if patch.Given() { // a null patch counts as left out
		p.check(patch)
	}
	w.Object()
	for name, member := range request.Members() {
		if name != memberPatch && !p.writes(name) {
			w.Name(name).Value(member)
		}
	}
	for _, s := range patchable {
		if change := p.changes[s.name]; change != nil {
			p.section(&w, s.name, s.id, change)
		}
	}
	return Patched{Request: w.EndObject().Buf, Faults: faults.Items(), places: p.places}
}

type patcher struct {
	request, base wire.Value
	faults        *fault.List
	changes       map[string]*sectionPatch // by section; sections whose patch is invalid are left out
	places        []movedPlace
}

// sectionPatch has the entries that a patch sets in a section and the ids that
// it removes.
type sectionPatch struct {
	set    []wire.Value
	remove []wire.Value
}

// check reads the patch and reports its own faults.
func (p *patcher) check(patch wire.Value) {
	p.changes = map[string]*sectionPatch{}
	form := wire.NewForm(patch, p.faults)
	if patch.Kind() != wire.Object {
		return
	}
	if p.base.Kind() != wire.Object {
		p.faults.Add(patch.Pointer(), fault.CodeInvalidField,
			"there is no base to patch; give complete sections, or name a rule set as the base")
		form.Known(patchNames()...)
		form.Done()
		return
	}
	for _, s := range patchable {
		v := form.Get(s.name)
		if !v.Given() {
			continue
		}
		c := p.read(v)
		if given := p.givenMember(s.name); given != "" {
			p.faults.Add(v.Pointer(), fault.CodeInvalidField,
				"the request also gives %s; give either the section or its patch", given)
			continue
		}
		if c != nil {
			p.changes[s.name] = c
		}
	}
	form.Done()
}

func patchNames() []string {
	names := make([]string, len(patchable))
	for i, s := range patchable {
		names[i] = s.name
	}
	return names
}

// read returns the entries to set and the ids to remove, or nil if v is not an
// object.
func (p *patcher) read(v wire.Value) *sectionPatch {
	f := wire.NewForm(v, p.faults)
	if v.Kind() != wire.Object {
		return nil
	}
	c := &sectionPatch{}
	for _, e := range f.Array("set", maxKnockouts).Elements() {
		c.set = append(c.set, e)
	}
	for _, e := range f.Array("remove", maxKnockouts).Elements() {
		c.remove = append(c.remove, e)
	}
	if v.Get("set").Kind() == wire.Missing && v.Get("remove").Kind() == wire.Missing {
		p.faults.Add(v.Pointer(), fault.CodeRequired,
			`needs "set" (a list of entries), "remove" (a list of ids), or both`)
	}
	f.Done()
	return c
}

// givenMember returns the member in which the request gives the complete section, although the request also patches
// the section. It returns "" if there is none.
func (p *patcher) givenMember(section string) string {
	members := []string{section}
	if section == sectionFactors {
		members = []string{sectionScorecard, memberScorecardID}
	}
	for _, m := range members {
		if p.request.Get(m).Given() {
			return m
		}
	}
	return ""
}

// writes reports whether a patched section replaces a member of the request.
// Such a member is null, because check rejects a section that is both given and
// patched.
func (p *patcher) writes(member string) bool {
	if member == sectionScorecard || member == memberScorecardID {
		member = sectionFactors
	}
	return p.changes[member] != nil
}

// section writes a patched section.
func (p *patcher) section(w *wire.Writer, name, id string, c *sectionPatch) {
	if name != sectionFactors {
		w.Name(name)
		p.entries(w, "/"+name, p.base.Get(name), id, c)
		return
	}
	// A patched card differs from the stored one, so the scorecard_id is left
	// out.
	w.Name(sectionScorecard).Object()
	for member, v := range p.base.Get(sectionScorecard).Members() {
		w.Name(member)
		if member == sectionFactors {
			p.entries(w, "/"+sectionScorecard+"/"+sectionFactors, v, id, c)
		} else {
			w.Value(v)
		}
	}
	w.EndObject()
}

// entries writes the base's entries with the change applied. It writes new
// entries after the existing ones but before the system rules. It leaves out the
// system rules if the request turns them off.
func (p *patcher) entries(w *wire.Writer, pointer string, base wire.Value, id string, c *sectionPatch) {
	system := make(map[string]bool, base.Len()) // whether each entry of the base is a system rule, by id
	for _, v := range base.Elements() {
		system[v.Get(id).Text()] = v.Get("system").IsTrue()
	}
	gone := p.removals(pointer, system, id, c)
	set, fresh := p.replacements(system, id, c, gone)
	at := 0
	put := func(v wire.Value, was string) {
		if was != "" {
			p.places = append(p.places, movedPlace{pointer + "/" + strconv.Itoa(at), was})
		}
		w.Value(v)
		at++
	}
	add := func() {
		for _, v := range fresh {
			put(v, v.Pointer())
		}
		fresh = nil
	}
	drops := pointer == "/"+sectionKnockouts && turnsDefaultsOff(p.request, p.base)
	w.Array()
	for _, v := range base.Elements() {
		if v.Get("system").IsTrue() {
			add()
		}
		text := v.Get(id).Text()
		switch replacement, ok := set[text]; {
		case gone[text]:
		case ok:
			put(replacement, replacement.Pointer())
		case drops && isDefaultKnockout(v, semanticsOf(p.request, p.base)):
		default:
			put(v, "")
		}
	}
	add()
	w.EndArray()
}

// removals checks the ids to remove and returns those that the base has. A rule
// that include_defaults would merge again cannot be removed.
func (p *patcher) removals(pointer string, system map[string]bool, id string, c *sectionPatch) (gone map[string]bool) {
	gone = make(map[string]bool, len(c.remove))
	merges := mergesDefaults(p.base)
	if p.request.Get(memberDefaults).Given() {
		merges = mergesDefaults(p.request)
	}
	merges = merges && pointer == "/"+sectionKnockouts
	for _, v := range c.remove {
		text := v.Text()
		_, found := system[text]
		switch {
		case v.Kind() != wire.String:
			p.faults.Add(v.Pointer(), fault.CodeWrongType, "must be the %s of an entry", id)
		case !found:
			p.faults.Add(v.Pointer(), fault.CodeInvalidField, "the base has no entry with this %s", id)
		case merges && isSystemRule(text, semanticsOf(p.request, p.base)):
			p.faults.Add(v.Pointer(), fault.CodeInvalidField,
				"cannot be removed, because include_defaults merges it again; set \"include_defaults\" to false, or "+
					"set a rule of your own with the same id")
		case gone[text]:
			p.faults.Add(v.Pointer(), fault.CodeDuplicate, "is listed twice")
		default:
			gone[text] = true
		}
	}
	return gone
}

// replacements checks the entries to set and returns them by id. fresh has the entries whose ids the base does not
// have.
func (p *patcher) replacements(
	system map[string]bool, id string, c *sectionPatch, gone map[string]bool,
) (set map[string]wire.Value, fresh []wire.Value) {
	set = make(map[string]wire.Value, len(c.set))
	for _, v := range c.set {
		f := wire.NewForm(v, p.faults)
		if v.Kind() != wire.Object {
			continue
		}
		text := v.Get(id).Text()
		_, twice := set[text]
		switch {
		case !f.Require(id, "the entry to add or replace"):
		case v.Get(id).Kind() != wire.String:
			p.faults.Add(f.Pointer(id), fault.CodeWrongType, "must be a string")
		case twice:
			p.faults.Add(f.Pointer(id), fault.CodeDuplicate, "is set twice")
		case gone[text]:
			p.faults.Add(f.Pointer(id), fault.CodeInvalidField, "is removed by the same patch")
		default:
			set[text] = v
			if _, known := system[text]; !known {
				fresh = append(fresh, v)
			}
		}
	}
	return set, fresh
}
