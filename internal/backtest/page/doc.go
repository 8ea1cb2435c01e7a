// Package page writes a backtest's report as one HTML file that needs nothing
// else: no script, no network, no font. It opens from a mail attachment, reads
// on a telephone, follows the reader's light or dark theme and prints on paper.
//
// It shows what backtest.Report holds and works nothing out but differences
// between two figures of it. Every text in a report, such as a rule's id or a
// group's name, is a stranger's and is escaped on its way in.
package page
