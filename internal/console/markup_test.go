package console_test

import (
	"html"
	"iter"
	"net/url"
	"slices"
	"strings"
)

// tag is the beginning of an element on a page of ours, and what comes after.
type tag struct {
	name    string
	members string // of the tag, as they are written
	rest    string // of the page
}

// member is the value of a member of a tag, "" when it has none.
func (t tag) member(name string) string {
	_, after, _ := strings.Cut(t.members, " "+name+`="`)
	value, _, _ := strings.Cut(after, `"`)
	return html.UnescapeString(value)
}

// inner is what stands between the tag and the end of its element, which has
// none of its own kind inside.
func (t tag) inner() string {
	inner, _, _ := strings.Cut(t.rest, "</"+t.name+">")
	return inner
}

// tags finds the elements of some names. Expressions would take the race
// detector most of the time that these tests have: pages are large, and it
// watches every step over every byte.
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
			// Templates write ">" inside of a member as "&gt;".
			members, rest, _ := strings.Cut(after[end:], ">")
			if page = rest; !yield(tag{after[:end], members, rest}) {
				return
			}
		}
	}
}

// postForms finds the forms of a page that are posted.
func postForms(page string) iter.Seq[tag] {
	return func(yield func(tag) bool) {
		for form := range tags(page, "form") {
			if form.member("method") == "post" && !yield(form) {
				return
			}
		}
	}
}

// fieldsOf returns the values that a browser would submit for the form with this
// action, unedited.
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

// valueOf is what a browser would send of a field; sent is false for nothing.
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
