package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // embeds the template and the stylesheet
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"verdict/internal/backtest"
	"verdict/internal/chart"
)

var (
	//go:embed page.html
	markup string
	//go:embed style.css
	ownStyle string

	layout = template.Must(template.New("page").Parse(markup))
)

// section is one section of the page, under its own heading.
type section struct {
	ID, Title, Lead string
	Blocks          []block
}

// block is a column of figures and tables, or, if Wide is set, a single figure
// or table at the full width.
type block struct {
	Wide   bool
	Pieces []piece
}

// piece is a figure or a table.
type piece struct {
	Heading, Note string // heading and note of a table; a figure has its own caption
	Body          template.HTML
}

// place is the position of a table in its section.
type place int

const (
	column place = iota // in a column of its own
	under               // under the previous piece
	across              // across the full width
)

func (s *section) figure(p chart.Picture) {
	s.Blocks = append(s.Blocks, block{Pieces: []piece{{Body: chart.Figure(p)}}})
}

// table adds a table unless it is empty.
func (s *section) table(heading, note string, where place, t chart.Table) {
	if len(t.Rows) == 0 {
		return
	}
	p := piece{Heading: heading, Note: note, Body: t.HTML(heading)}
	if last := len(s.Blocks) - 1; where == under && last >= 0 && !s.Blocks[last].Wide {
		s.Blocks[last].Pieces = append(s.Blocks[last].Pieces, p)
		return
	}
	s.Blocks = append(s.Blocks, block{Wide: where == across, Pieces: []piece{p}})
}

// parts is the content of a report, which both Write and Body show.
type parts struct {
	Lead     string
	Tiles    []tile
	Sections []section
}

func partsOf(r *backtest.Report) parts {
	p := parts{Lead: lead(r), Tiles: tiles(r)}
	for _, make := range []func(*backtest.Report) section{
		outcomes, challenger, separation, grades, reasons, economics, fairness, vintage, rows,
	} {
		if s := make(r); len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p
}

// Write writes the report as a page under the given title.
func Write(w io.Writer, title string, r *backtest.Report) error {
	style := chart.Style + ownStyle
	// The content security policy allows the one style element by its hash and
	// blocks everything else.
	hash := sha256.Sum256([]byte(style))
	view := struct {
		Title, Policy string
		Style         template.CSS
		parts
	}{
		Title: title,
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; base-uri 'none'; form-action 'none'",
		Style: template.CSS(style),
		parts: partsOf(r),
	}
	// Render the whole page before writing, so that an error cannot leave a
	// partial page that looks complete.
	var b bytes.Buffer
	if err := layout.Execute(&b, view); err != nil {
		return fmt.Errorf("render the report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// Body returns the report for embedding in another page: the headline figures
// and the sections, with second-level headings. The other page must define the
// styles of the CSS classes.
func Body(r *backtest.Report) (template.HTML, error) {
	var b bytes.Buffer
	view := partsOf(r)
	for _, part := range []string{"summary", "sections"} {
		if err := layout.ExecuteTemplate(&b, part, view); err != nil {
			return "", fmt.Errorf("render the report: %w", err)
		}
	}
	return template.HTML(b.String()), nil
}
