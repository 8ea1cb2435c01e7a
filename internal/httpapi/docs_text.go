package httpapi

import "strings"

// docsBlock is a paragraph, or a list when Items has any.
type docsBlock struct {
	Spans []docsSpan
	Items [][]docsSpan
}

// docsSpan is a run of text: plain, code, or a link within the page.
type docsSpan struct {
	Text string
	Code bool
	Link string
}

// readDocsText reads the little Markdown that descriptions are written in:
// paragraphs, lists with dashes, `code` and [links](#within). It ends up in
// the templates as text, so nothing in it can be taken for HTML.
func readDocsText(text string) []docsBlock {
	var blocks []docsBlock
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if !strings.HasPrefix(paragraph, "- ") {
			if spans := readDocsSpans(paragraph); len(spans) > 0 {
				blocks = append(blocks, docsBlock{Spans: spans})
			}
			continue
		}
		var list docsBlock
		for item := range strings.SplitSeq(strings.TrimPrefix(paragraph, "- "), "\n- ") {
			list.Items = append(list.Items, readDocsSpans(item))
		}
		blocks = append(blocks, list)
	}
	return blocks
}

func readDocsSpans(text string) []docsSpan {
	text = strings.Join(strings.Fields(text), " ")
	var spans []docsSpan
	plain := func(s string) {
		if s != "" {
			spans = append(spans, docsSpan{Text: s})
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
			spans, text = append(spans, docsSpan{Text: code, Code: true}), rest
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
		spans, text = append(spans, docsSpan{Text: label, Link: target}), after
	}
	plain(text)
	return spans
}
