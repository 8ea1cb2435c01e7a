// Package page writes a backtest's report as one self-contained HTML file, without scripts, network requests or fonts.
// The file can be opened from a mail attachment, read on a phone and printed. It uses the reader's light or dark theme.
//
// The page shows the figures of backtest.Report and computes no metric of its own. Every text in a report, such as the
// id of a rule or the name of a group, is untrusted and is escaped.
package page
