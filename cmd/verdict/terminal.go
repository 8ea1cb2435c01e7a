package main

import (
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// onTerminal tells whether a person sits at the other end of a stream. The null
// device is a character device too, and nobody sits there.
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

// progress shows a bar on a terminal, and nothing where a log would be filled
// with it. A total of -1 is one that is not known.
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
