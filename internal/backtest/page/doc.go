// Package page writes a backtest's report as one self-contained HTML file, without
// scripts, network requests or fonts. It opens from a mail attachment, is readable
// on a phone, follows the reader's light or dark theme and can be printed.
//
// It shows the figures of backtest.Report and computes only differences between
// two of them. Every text in a report, such as the id of a rule or the name of a
// group, is untrusted and is escaped.
package page
