package reference

import "strings"

// textBlock is a paragraph, or a list if Items is set.
type textBlock struct {
	Spans []textSpan
	Items [][]textSpan
}

// textSpan is a run of text: plain, code, or a link within the page.
type textSpan struct {
	Text string
	Code bool
	Link string
}

// readText parses the subset of Markdown that descriptions use: paragraphs, lists
// with dashes, `code` and [links](#within). The templates insert the result as
// text, so that HTML in it is escaped.
func readText(text string) []textBlock {
	var blocks []textBlock
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if !strings.HasPrefix(paragraph, "- ") {
			if spans := readSpans(paragraph); len(spans) > 0 {
				blocks = append(blocks, textBlock{Spans: spans})
			}
			continue
		}
		var list textBlock
		for item := range strings.SplitSeq(strings.TrimPrefix(paragraph, "- "), "\n- ") {
			list.Items = append(list.Items, readSpans(item))
		}
		blocks = append(blocks, list)
	}
	return blocks
}

// readSpans parses one paragraph or list item. It keeps incomplete markup as
// text.
func readSpans(text string) []textSpan {
	text = strings.Join(strings.Fields(text), " ")
	var spans []textSpan
	plain := func(s string) {
		if s != "" {
			spans = append(spans, textSpan{Text: s})
		}
	}
	for text != "" {
		at := strings.IndexAny(text, "`[")
		if at < 0 {
			break
		}
		if text[at] == '`' {
			code, rest, closed := strings.Cut(text[at+1:], "`")
			if !closed {
				break
			}
			plain(text[:at])
			spans, text = append(spans, textSpan{Text: code, Code: true}), rest
			continue
		}
		label, rest, isLink := strings.Cut(text[at+1:], "](")
		target, after, closed := strings.Cut(rest, ")")
		if !isLink || !closed || !strings.HasPrefix(target, "#") {
			plain(text[:at+1])
			text = text[at+1:]
			continue
		}
		plain(text[:at])
		spans, text = append(spans, textSpan{Text: label, Link: target}), after
	}
	plain(text)
	return spans
}
