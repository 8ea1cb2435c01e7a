package reference

import (
	"bytes"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Part is one page of the reference, for the console, which shows the reference in many small pages. The address of a
// part ends with the anchor that the part has in the whole reference.
type Part struct {
	Title string
	// Text and Contents are HTML. Their links to other parts are relative: to the anchor of the part, or to
	// StartFolder and the anchor on the first part.
	Text, Contents template.HTML
}

// StartFolder is the folder of all other parts, relative to the address of the first part.
const StartFolder = "reference/"

// parts renders the parts of the reference, each when it is first requested. It is safe for concurrent use.
type parts struct {
	pages *Pages
	view  func() (*pageView, error)

	mu   sync.Mutex
	done map[string]Part // by anchor
}

// Part returns the part with the anchor: "" for the first part, the id of a group, an operationId, "errors", "schemas",
// "schema-" with the name of a schema, or "tables". It returns false if there is none.
func (d *Pages) Part(anchor string) (Part, bool, error) {
	p := d.parts
	p.mu.Lock()
	defer p.mu.Unlock()
	if part, ok := p.done[anchor]; ok {
		return part, true, nil
	}
	view, err := p.view()
	if err != nil {
		return Part{}, false, err
	}
	found, ok := view.part(anchor)
	if !ok {
		return Part{}, false, nil
	}
	part, err := p.render(view, anchor, found)
	if err != nil {
		return Part{}, false, err
	}
	p.done[anchor] = part
	return part, true, nil
}

// partView says how a part is rendered.
type partView struct {
	title, template string
	data            any
	raise           int // how many levels its headings are below those of a page
}

// part returns the part with the anchor. It returns false if there is none.
func (v *pageView) part(anchor string) (partView, bool) {
	switch anchor {
	case "":
		return partView{"API reference", "start", v, 0}, true
	case "errors":
		return partView{"Errors", "errors", v, 1}, true
	case "schemas":
		return partView{"Schemas", "schema list", v, 1}, true
	case "tables":
		return partView{"Tables", "tables", v, 1}, true
	}
	for _, g := range v.Groups {
		if g.ID == anchor {
			return partView{g.Name, "group", g, 1}, true
		}
		for i := range g.Operations {
			if g.Operations[i].ID == anchor {
				return partView{g.Operations[i].Summary, "operation", g.Operations[i], 2}, true
			}
		}
	}
	at := slices.IndexFunc(v.Schemas, func(s schemaView) bool { return "schema-"+s.Name == anchor })
	if at < 0 {
		return partView{}, false
	}
	return partView{v.Schemas[at].Name, "schema", v.Schemas[at], 2}, true
}

// render renders a part. The templates are those of the whole reference, so render changes the links and the levels of
// the headings.
func (p *parts) render(view *pageView, anchor string, found partView) (Part, error) {
	var text, contents bytes.Buffer
	if err := p.pages.templates.ExecuteTemplate(&text, found.template, found.data); err != nil {
		return Part{}, fmt.Errorf("render the part %q of the reference: %w", anchor, err)
	}
	if err := p.pages.templates.ExecuteTemplate(&contents, "contents", view); err != nil {
		return Part{}, fmt.Errorf("render the contents of the reference: %w", err)
	}
	own := anchorsOf(text.Bytes())
	folder, list := "", contents.String()
	if anchor == "" {
		// People may have stored an address with an anchor from the time when the reference was one page. It leads to
		// the entry of the contents.
		folder = StartFolder
		list = entryLink.ReplaceAllStringFunc(list, func(link string) string {
			if id := entryLink.FindStringSubmatch(link)[1]; !own[id] {
				return `<a id="` + id + `" href="#` + id + `"`
			}
			return link
		})
	} else {
		list = strings.Replace(list, `<a href="#`+anchor+`"`, `<a aria-current="page" href="#`+anchor+`"`, 1)
	}
	return Part{
		Title:    found.title,
		Text:     template.HTML(raised(relinked(text.String(), own, folder), found.raise)), // our own template
		Contents: template.HTML(relinked(list, own, folder)),
	}, nil
}

var (
	anAnchor  = regexp.MustCompile(`\sid="([^"]+)"`)
	localLink = regexp.MustCompile(` href="#([^"]+)"`)
	heading   = regexp.MustCompile(`(</?h)([1-6])\b`)
	entryLink = regexp.MustCompile(`<a href="#([^"]+)"`)
)

// anchorsOf returns the ids of the elements of a part.
func anchorsOf(text []byte) map[string]bool {
	ids := map[string]bool{}
	for _, found := range anAnchor.FindAllSubmatch(text, -1) {
		ids[string(found[1])] = true
	}
	return ids
}

// relinked makes the links to anchors that are not in own lead to the part of the anchor. The anchors within a part of
// several anchors are "quick-start" and "conventions" of the first part, and those of the errors.
func relinked(text string, own map[string]bool, folder string) string {
	return localLink.ReplaceAllStringFunc(text, func(link string) string {
		id := localLink.FindStringSubmatch(link)[1]
		switch {
		case own[id]:
			return link
		case id == "quick-start", id == "conventions":
			return ` href="../reference#` + id + `"`
		case id == "item-codes", id == "warning-codes":
			return ` href="` + folder + `errors#` + id + `"`
		}
		return ` href="` + folder + id + `"`
	})
}

// raised raises the levels of all headings.
func raised(text string, by int) string {
	return heading.ReplaceAllStringFunc(text, func(tag string) string {
		found := heading.FindStringSubmatch(tag)
		level, _ := strconv.Atoi(found[2]) // the expression matches one digit
		return found[1] + strconv.Itoa(max(1, level-by))
	})
}
