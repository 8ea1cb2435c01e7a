package sheet

import "bytes"

// scanner finds where rows end. It remembers the position of the next line feed, carriage return and quote, so that
// it searches every byte only once for each of these characters. Searching again in every row for a line feed that
// the file does not have would take quadratic time.
type scanner struct {
	data          []byte
	at            int // where the next row begins
	lf, cr, quote int // position of the next line feed, carriage return and quote; len(data) for none
	open          int // position of the quote that the last row opens and never closes, -1 if there is none
	lines         lines
	line          int64 // the number of the line where the last row begins
}

// lines counts the line ends of a file that is read in parts.
type lines struct {
	ends int64
	cr   bool // the last part ended with a carriage return, so a line feed that follows ends no other line
}

// row is the position of a row in the data, without its line end.
type row struct {
	from, to int
	quoted   bool // the row contains a quote
	closed   bool // the row has a line end
}

func (s *scanner) reset(data []byte) {
	*s = scanner{data: data, lf: -1, cr: -1, quote: -1, open: -1}
}

// next finds the next row that is not blank. ok is false if there is none.
//
// The carriage return and the line feed of a pair each end a line. The blank line
// between them is not a row, so a pair may be split between two blocks.
func (s *scanner) next() (r row, ok bool) {
	for s.at < len(s.data) {
		end := s.lineEnd(s.at)
		if end == s.at {
			if s.data[end] == '\r' || !s.afterReturn() {
				s.lines.ends++
			}
			s.at++
			continue
		}
		r.from = s.at
		s.line = s.lines.ends + 1
		s.quote = s.mark(s.quote, s.at, '"')
		if r.quoted = s.quote < end; r.quoted {
			first := end
			if end = s.quotedEnd(end); end != first {
				s.lines.ends += lineEnds(s.data[r.from:end])
			}
		}
		r.to, r.closed = end, end < len(s.data)
		if r.closed {
			s.lines.ends++
		}
		s.at = min(end+1, len(s.data))
		return r, true
	}
	return row{}, false
}

// afterReturn reports whether a carriage return precedes the next byte.
func (s *scanner) afterReturn() bool {
	if s.at == 0 {
		return s.lines.cr
	}
	return s.data[s.at-1] == '\r'
}

// lineEnds returns the number of line ends in data. A carriage return and a line feed are one line end.
func lineEnds(data []byte) int64 {
	n := bytes.Count(data, []byte{'\n'})
	if returns := bytes.Count(data, []byte{'\r'}); returns > 0 {
		n += returns - bytes.Count(data, []byte("\r\n"))
	}
	return int64(n)
}

// mark returns the position of the next c that is not before the position "from", or len(data) if there is none. last
// is the position that was found before; it is returned if it is not before "from".
func (s *scanner) mark(last, from int, c byte) int {
	if last >= from {
		return last
	}
	if i := bytes.IndexByte(s.data[from:], c); i >= 0 {
		return from + i
	}
	return len(s.data)
}

func (s *scanner) lineEnd(from int) int {
	s.lf, s.cr = s.mark(s.lf, from, '\n'), s.mark(s.cr, from, '\r')
	return min(s.lf, s.cr)
}

// quotedEnd returns the end of a row that has a quote before its first line end. Only a quote at the beginning of a
// cell opens a quoted cell: an unquoted cell such as 5" pipe makes only its own row malformed.
func (s *scanner) quotedEnd(end int) int {
	s.open = -1
	for s.quote < end {
		from := s.quote + 1
		if s.quote == s.at || s.data[s.quote-1] == ',' {
			closing, _ := closingQuote(s.data, from)
			if closing == len(s.data) {
				s.open = s.quote
			}
			from = min(closing+1, len(s.data))
		}
		s.quote = s.mark(s.quote, from, '"')
		end = s.lineEnd(from)
	}
	return end
}

// tooLong returns the refusal of a row that is longer than MaxLine. If a quote is open at the end of its first MaxLine
// bytes, that quote is the reason. Quotes that end these bytes are ignored, because they may be a part of a pair. The
// answer does not depend on how much of the row has been read.
func (s *scanner) tooLong(r row, what string) error {
	var start scanner
	start.reset(bytes.TrimRight(s.data[r.from:r.from+MaxLine], `"`))
	if line, ok := start.next(); ok && line.quoted && start.open >= 0 {
		return notClosed(s.lineOf(r, r.from+start.open))
	}
	return tooLong(what)
}

// lineOf returns the number of the line that contains a position in the last row.
func (s *scanner) lineOf(r row, at int) int64 { return s.line + lineEnds(s.data[r.from:at]) }

// closingQuote returns the position of the quote that closes a cell whose text begins at the position "from", or
// len(data) if there is none. It also returns whether doubled quotes come before that quote.
func closingQuote(data []byte, from int) (at int, doubled bool) {
	for at = from; ; at += 2 {
		i := bytes.IndexByte(data[at:], '"')
		if i < 0 {
			return len(data), doubled
		}
		at += i
		if at+1 == len(data) || data[at+1] != '"' {
			return at, doubled
		}
		doubled = true
	}
}
