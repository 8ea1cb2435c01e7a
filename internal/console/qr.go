package console

import (
	"fmt"
	"html/template"
	"strings"

	"rsc.io/qr"
)

// quietZone is the empty margin around a QR code, in modules. Readers need four.
const quietZone = 4

// qrCode returns a QR code as an SVG picture. It is black on white in every colour theme, because not every reader
// understands inverted codes. Screen readers read label aloud.
func qrCode(text, label string) (template.HTML, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
	}
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				_, _ = fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+quietZone, y+quietZone) // a Builder never fails
			}
		}
	}
	side := code.Size + 2*quietZone
	//nolint:gosec // escaped
	return template.HTML(fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" role="img" aria-label="%s">`+
		`<rect width="%d" height="%d" fill="#fff"/><path d="%s" fill="#000"/></svg>`,
		side, side, template.HTMLEscapeString(label), side, side, path.String())), nil
}
