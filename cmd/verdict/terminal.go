package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// onTerminal reports whether a stream is a terminal. The null device is a
// character device too, but not a terminal.
func onTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err == nil && !os.SameFile(info, null)
}

const progressEvery = 100 * time.Millisecond

// progress returns a progress bar that is drawn only on a terminal, so that it
// does not fill logs. A total of -1 means that the total is unknown.
func (c *command) progress(total int64, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(c.stderr),
		progressbar.OptionSetVisibility(onTerminal(c.stderr)),
		progressbar.OptionShowCount(),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(progressEvery),
		progressbar.OptionClearOnFinish(),
	)
}
