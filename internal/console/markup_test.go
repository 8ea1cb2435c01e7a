package console_test

import (
	"html"
	"iter"
	"net/url"
	"slices"
	"strings"
)

// tag is the start tag of an element on one of our pages, with the rest of the
// page.
type tag struct {
	name    string
	members string // the attributes, as written
	rest    string // the page after the tag
}

// member returns the value of an attribute, or "".
func (t tag) member(name string) string {
	_, after, _ := strings.Cut(t.members, " "+name+`="`)
	value, _, _ := strings.Cut(after, `"`)
	return html.UnescapeString(value)
}

// inner returns the text up to the end tag. The element must not contain another
// element with the same name.
func (t tag) inner() string {
	inner, _, _ := strings.Cut(t.rest, "</"+t.name+">")
	return inner
}

// tags yields the elements with the given names. It uses no regular expressions,
// because with the race detector they would take most of the time of these
// tests: pages are large.
func tags(page string, names ...string) iter.Seq[tag] {
	return func(yield func(tag) bool) {
		for {
			_, after, found := strings.Cut(page, "<")
			if !found {
				return
			}
			page = after
			end := strings.IndexAny(after, " >\n")
			if end < 0 || !slices.Contains(names, after[:end]) {
				continue
			}
			// Templates write ">" inside an attribute as "&gt;".
			members, rest, _ := strings.Cut(after[end:], ">")
			if page = rest; !yield(tag{after[:end], members, rest}) {
				return
			}
		}
	}
}

// postForms yields the forms of a page with method "post".
func postForms(page string) iter.Seq[tag] {
	return func(yield func(tag) bool) {
		for form := range tags(page, "form") {
			if form.member("method") == "post" && !yield(form) {
				return
			}
		}
	}
}

// fieldsOf returns the values that a browser would submit if nobody edits the forms. It reads only forms whose action
// ends with the argument action.
func fieldsOf(page, action string) url.Values {
	values := url.Values{}
	for form := range postForms(page) {
		target, _, _ := strings.Cut(form.member("action"), "#")
		if !strings.HasSuffix(target, action) {
			continue
		}
		for field := range tags(form.inner(), "input", "textarea", "select") {
			if value, sent := valueOf(field); sent && field.member("name") != "" {
				values.Add(field.member("name"), value)
			}
		}
	}
	return values
}

// valueOf returns the value that a browser would send for a field. sent is false
// if the browser would send nothing.
func valueOf(field tag) (value string, sent bool) {
	switch field.name {
	case "textarea":
		return html.UnescapeString(strings.TrimPrefix(field.inner(), "\n")), true
	case "select":
		for option := range tags(field.inner(), "option") {
			if chosen := strings.Contains(option.members, " selected"); chosen || !sent {
				value, sent = option.member("value"), true
				if chosen {
					break
				}
			}
		}
		return value, sent
	}
	kind := field.member("type")
	if (kind == "checkbox" || kind == "radio") && !strings.Contains(field.members, " checked") {
		return "", false
	}
	return field.member("value"), true
}
