package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"verdict/internal/fault"
)

// Header reads the names of the columns from the first line that is not blank and
// removes the spaces around them. A column may have an empty name, as the first
// column of many programs' exports does; such a column cannot be referred to. An
// invalid header is a *fault.Error.
func (r *Reader) Header() ([]string, error) {
	if r.header {
		return nil, errors.New("read csv header: it was read before")
	}
	r.header = true
	names, err := r.readHeader()
	if err != nil {
		r.err = err // rows cannot be read without a header
	}
	return names, err
}

func (r *Reader) readHeader() ([]string, error) {
	var data []byte
	var s scanner
	for {
		data = r.fill(data)
		if err := notCSV(data); err != nil {
			return nil, err
		}
		text := bytes.TrimPrefix(data, byteOrderMark)
		s.reset(text)
		line, ok := s.next()
		ended := errors.Is(r.err, io.EOF)
		switch {
		case r.err != nil && !ended:
			return nil, r.err
		case ok && line.to-line.from > MaxLine:
			return nil, s.tooLong(line, "the header")
		case !ok && len(data) > MaxLine:
			return nil, tooLong("the header")
		case ended && line.quoted && s.open >= 0:
			return nil, notClosed(s.lineOf(line, s.open))
		case ok && (ended || line.closed):
			r.lines = lines{s.lines.ends, text[s.at-1] == '\r'}
			r.rest = append(r.rest, text[s.at:]...)
			if len(r.rest) > 0 {
				r.err = nil // rest still holds rows; the next read returns io.EOF again
			}
			return readNames(text[line.from:line.to])
		case ended:
			return nil, fault.New(fault.Invalid, fault.CodeEmptyCSV,
				"the file is empty; a header with the names of the columns is needed")
		}
	}
}

// readNames reads the names of the columns.
func readNames(line []byte) ([]string, error) {
	c := NewCursor(MaxColumns)
	c.Reset(line)
	c.Next()
	switch {
	case c.fault == fault.CodeBadUTF8:
		return nil, fault.New(fault.Malformed, fault.CodeBadUTF8,
			"the header is not UTF-8 text; save the file as CSV in UTF-8")
	case c.fault == fault.CodeBadQuote:
		return nil, fault.New(fault.Malformed, fault.CodeBadQuote,
			"a quote in the header is inside a name; put quotes around the name, and write the quote twice")
	case c.found > MaxColumns:
		return nil, fault.New(fault.Invalid, fault.CodeTooManyColumns, "there are more than %d columns", MaxColumns)
	}
	names := make([]string, c.found)
	for i, text := range c.cells[:c.found] {
		names[i] = strings.TrimSpace(string(text))
	}
	if err := otherSeparator(names); err != nil {
		return nil, err
	}
	return names, checkNames(names)
}

// checkNames returns an error if all names are empty, or if some are too long or
// occur more than once.
func checkNames(names []string) error {
	first := make(map[string]int, len(names))
	var items []fault.Item
	for i, name := range names {
		if name == "" {
			continue
		}
		if len(name) > MaxName { // names are repeated in answers
			items = append(items, fault.Item{
				Pointer: "/header/" + strconv.Itoa(i), Code: fault.CodeOutOfRange,
				Detail: fmt.Sprintf("must have at most %d bytes", MaxName),
			})
		}
		if at, twice := first[name]; twice {
			items = append(items, fault.Item{
				Pointer: "/header/" + strconv.Itoa(i), Code: fault.CodeDuplicate,
				Detail: fmt.Sprintf("has the same name as column %d", at+1),
			})
			continue
		}
		first[name] = i
	}
	switch {
	case len(first) == 0:
		return fault.New(fault.Invalid, fault.CodeNoColumnNames, "the first line has no names of columns")
	case len(items) > 0:
		err := fault.New(fault.Invalid, items[0].Code, "two columns have the same name")
		if items[0].Code == fault.CodeOutOfRange {
			err.Detail = "the name of a column is too long"
		}
		err.Items = items[:min(len(items), fault.MaxItems)]
		return err
	}
	return nil
}
