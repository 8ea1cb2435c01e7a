package sheet

import "bytes"

// scanner finds where rows end. It remembers where the next mark of each kind
// stands, so that every byte is looked at once for each kind whatever the mix:
// searching anew in every row for a line feed that the file does not have would
// take the square of its size.
type scanner struct {
	data          []byte
	at            int // where the next row begins
	lf, cr, quote int // the next of each; len(data) when there is none
}

// row is one row's place in the data, without its line end.
type row struct {
	from, to int
	quoted   bool // there is a quote in it
	closed   bool // its line end was there
}

func (s *scanner) reset(data []byte) {
	*s = scanner{data: data, lf: -1, cr: -1, quote: -1}
}

// next finds the next row that is not blank; ok is false when there is none.
//
// The carriage return and the line feed of a pair end a line each: the blank
// line between them is no row, so it does not matter whether a pair was cut.
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

// mark looks for a byte from a place on, unless the last one that was found is
// still ahead.
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

// quotedEnd is where a row ends that has a quote before its first line end.
// Only a quote at the very beginning of a cell opens one: whoever writes
// 5" pipe without quotes around it spoils that row and no other.
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

// closingQuote finds the quote that closes a cell whose text begins at from,
// and tells whether there are doubled ones before it. It is the end of the data
// where there is none.
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
