// Package chart draws pictures of numbers as SVG, on the server and without a
// library: lines, columns, bars, a share bar, points with intervals, a heat
// matrix, a waterfall, a ring of linked nodes, a strip of dots and a map of tiles.
//
// A picture is a value with a title, a description and data; SVG draws it and
// Table gives the same numbers to be read. Figure puts both together. Nothing
// in the output needs a script, a style attribute or anything loaded from
// elsewhere: classes carry the look and Style is the one stylesheet for them,
// light and dark, so pictures live under a strict content security policy.
//
// The same data gives the same bytes on every machine: coordinates are rounded
// to a tenth of a unit, no map is ranged over, and whatever is not a finite
// number is left out. Every text is escaped here, so callers hand in raw text.
package chart
