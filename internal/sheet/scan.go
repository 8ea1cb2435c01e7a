package sheet

import "bytes"

// scanner finds where rows end. It remembers the position of the next line feed, carriage return and quote, so that
// it searches every byte only once for each of these characters. Searching again in every row for a line feed that
// the file does not have would take quadratic time.
type scanner struct {
	data          []byte
	at            int // where the next row begins
	lf, cr, quote int // position of the next line feed, carriage return and quote; len(data) for none
}

// row is the position of a row in the data, without its line end.
type row struct {
	from, to int
	quoted   bool // the row contains a quote
	closed   bool // the row has a line end
}

func (s *scanner) reset(data []byte) {
	*s = scanner{data: data, lf: -1, cr: -1, quote: -1}
}

// next finds the next row that is not blank. ok is false if there is none.
//
// The carriage return and the line feed of a pair each end a line. The blank line
// between them is not a row, so a pair may be split between two blocks.
func (s *scanner) next() (r row, ok bool) {
	for s.at < len(s.data) {
		end := s.lineEnd(s.at)
		if end == s.at {
			s.at++
			continue
		}
		r.from = s.at
		s.quote = s.mark(s.quote, s.at, '"')
		if r.quoted = s.quote < end; r.quoted {
			end = s.quotedEnd(end)
		}
		r.to, r.closed = end, end < len(s.data)
		s.at = min(end+1, len(s.data))
		return r, true
	}
	return row{}, false
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
	for s.quote < end {
		from := s.quote + 1
		if s.quote == s.at || s.data[s.quote-1] == ',' {
			closing, _ := closingQuote(s.data, from)
			from = min(closing+1, len(s.data))
		}
		s.quote = s.mark(s.quote, from, '"')
		end = s.lineEnd(from)
	}
	return end
}

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
