// Package chart draws charts as SVG, on the server and without a library: lines,
// columns, bars, a share bar, points with intervals, a heat matrix, a waterfall, a
// ring of linked nodes, a tile map, a flow of stages, and small lines and columns over time.
//
// A chart is a value with a title, a description and data. SVG draws it, Table
// returns the same numbers as a table, and Figure combines both. The output needs
// no scripts, no style attributes and no external resources: elements have
// classes, and Style is the stylesheet for all of them, with a light and a dark
// theme. So charts work under a strict content security policy.
//
// The same data gives the same bytes on every machine: coordinates are rounded to
// a tenth of a unit, no code iterates over a map, and numbers that are not finite
// are left out. The package escapes every text, so callers pass raw text.
package chart
