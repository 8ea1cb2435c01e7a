package console

import (
	"regexp"
	"slices"
	"strings"

	"verdict/internal/agent"
	"verdict/internal/decisioning"
)

// memoBlock is a heading, a paragraph or a list of a memo.
type memoBlock struct {
	Heading, Text string
	Items         []memoItem
}

// memoPart is a part of a memo: what comes before the first heading, or a heading with what follows it.
type memoPart struct {
	Heading string
	Blocks  []memoBlock
	Items   int // number of statements
	Folded  bool
}

// shownParts are the parts of a memo that a reader needs first; the others are folded.
var shownParts = []string{"", "Decision", "Reasons"}

// partsOf divides a memo at its headings.
func partsOf(memo []memoBlock) (list []memoPart) {
	for _, block := range memo {
		if block.Heading != "" || len(list) == 0 {
			list = append(list, memoPart{Heading: block.Heading, Folded: !slices.Contains(shownParts, block.Heading)})
		}
		part := &list[len(list)-1]
		block.Heading = ""
		part.Blocks, part.Items = append(part.Blocks, block), part.Items+len(block.Items)
	}
	return list
}

// memoItem is a statement of a memo, with the sources it cites.
type memoItem struct{ Text, Cites string }

// readMemo reads the memo of a run, in the subset of Markdown that memos use. It leaves out the title. Everything else
// is treated as text and never becomes HTML. Amounts, shares and the names of fields are written as on other pages. The
// stored memo has them as plain numbers and names, because the texts of a model are checked against them.
func readMemo(record *agent.Record) []memoBlock {
	var blocks []memoBlock
	section := ""
	for line := range strings.Lines(record.Memo) {
		line = strings.TrimSpace(line)
		last := len(blocks) - 1
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "## "):
			section = unescaped(line[3:])
			blocks = append(blocks, memoBlock{Heading: section})
		case strings.HasPrefix(line, "- "):
			if last < 0 {
				blocks, last = append(blocks, memoBlock{}), 0
			}
			item := memoStatement(line[2:])
			item.Text = readableMemo(item.Text, readCites(item.Cites), section)
			item.Cites = writeAmounts(item.Cites)
			blocks[last].Items = append(blocks[last].Items, item)
		default:
			blocks = append(blocks, memoBlock{Text: readableMemo(unescaped(line), changedFields(record), section)})
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

// memoValue is the value of a field that a statement of a memo mentions.
type memoValue struct{ field, text string }

// memoFields maps the sources that memos cite to the fields with the same unit.
var memoFields = map[string]string{
	"decision.offer.limit":           "offer_limit",
	"decision.offer.emi":             "offer_limit",
	"decision.offer.max_emi":         "offer_limit",
	"decision.offer.post_offer_foir": "post_offer_foir",
	"foir_cap":                       "foir",
}

// readCites returns the values that a statement cites, such as "monthly_income = 85000; change foir = 0.3".
func readCites(cites string) (values []memoValue) {
	for cite := range strings.SplitSeq(cites, "; ") {
		name, text, found := strings.Cut(cite, " = ")
		if !found {
			continue
		}
		name = strings.TrimPrefix(name, "change ")
		if field := memoFields[name]; field != "" {
			name = field
		}
		values = append(values, memoValue{name, text})
	}
	return values
}

// changedFields returns the values of the changes that would improve the outcome. The first paragraph of a memo
// mentions them without citing them.
func changedFields(record *agent.Record) (values []memoValue) {
	for _, x := range record.Improvements {
		for _, c := range x.Changes {
			values = append(values, memoValue{c.Field, c.From}, memoValue{c.Field, c.To})
		}
	}
	return values
}

var memoName = regexp.MustCompile(`\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b`)

// readableMemo writes the amounts of a text with ₹, its shares in percent, and the names of its fields in words. The
// reasons keep the names of fields, because they contain conditions of rules; so does the section with the words of the
// applicant.
func readableMemo(text string, values []memoValue, section string) string {
	text = writeAmounts(text)
	for _, v := range values {
		if shown := amountText(v.field, v.text); v.text != "" && shown != v.text {
			text = replaceNumber(text, v.text, shown)
		}
	}
	if section == "Reasons" || section == "Decision" {
		return text
	}
	return memoName.ReplaceAllStringFunc(text, func(name string) string {
		if decisioning.DescribedField(name).Meaning == "" {
			return name
		}
		return fieldLabel(name)
	})
}

// countedUnits begin the text after a number that is neither an amount nor a share.
var countedUnits = []string{" months", " days", " percent", " points", " %"}

// replaceNumber replaces a number in a text where it is not a part of a longer number or name and does not count
// something else, such as months.
func replaceNumber(text, number, shown string) string {
	var b strings.Builder
	for {
		at := strings.Index(text, number)
		if at < 0 {
			return b.String() + text
		}
		rest := text[at+len(number):]
		whole := (at == 0 || strings.ContainsAny(text[at-1:at], " (")) &&
			(rest == "" || strings.ContainsAny(rest[:1], " ),;") ||
				rest[0] == '.' && (len(rest) == 1 || rest[1] == ' '))
		for _, unit := range countedUnits {
			whole = whole && !strings.HasPrefix(rest, unit)
		}
		b.WriteString(text[:at])
		if whole {
			b.WriteString(shown)
		} else {
			b.WriteString(number)
		}
		text = rest
	}
}
