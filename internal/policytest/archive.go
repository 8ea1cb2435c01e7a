package policytest

import (
	"bytes"
	"strings"
)

// Archive is a txtar file: a comment, then named sections.
type Archive struct {
	Comment  string
	Sections []Section
}

// Section is one file inside an Archive.
type Section struct {
	Name string
	Data []byte
}

// The line before a section is "-- NAME --".
const (
	sectionStart = "-- "
	sectionEnd   = " --"
)

// ParseArchive splits a txtar file into its comment and its sections. Every text is
// a txtar file; a text without section lines is a comment.
func ParseArchive(data []byte) Archive {
	var a Archive
	var comment bytes.Buffer
	for line := range bytes.Lines(data) {
		if name, ok := sectionName(line); ok {
			a.Sections = append(a.Sections, Section{Name: name})
			continue
		}
		if n := len(a.Sections); n > 0 {
			a.Sections[n-1].Data = append(a.Sections[n-1].Data, line...)
		} else {
			comment.Write(line)
		}
	}
	a.Comment = comment.String()
	return a
}

// sectionName returns the name in a line that begins a section.
func sectionName(line []byte) (name string, ok bool) {
	text := strings.TrimRight(string(line), "\r\n")
	rest, ok := strings.CutPrefix(text, sectionStart)
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(rest, sectionEnd)
	name = strings.TrimSpace(name)
	return name, ok && name != ""
}

// Format writes the archive as a txtar file. Every part ends with a line break.
func (a *Archive) Format() []byte {
	var b bytes.Buffer
	write := func(text []byte) {
		b.Write(text)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			b.WriteByte('\n')
		}
	}
	write([]byte(a.Comment))
	for _, s := range a.Sections {
		b.WriteString(sectionStart + s.Name + sectionEnd + "\n")
		write(s.Data)
	}
	return b.Bytes()
}
