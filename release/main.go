// Command release builds everything that a release of Verdict consists of:
//
//   - an archive with the static binary for each system and processor
//   - a container image for Linux, as an OCI image layout in one file
//   - Debian packages with a systemd unit
//   - the bill of materials of each binary, in the format CycloneDX
//   - the release notes, from the changelog
//   - the checksums of all these files
//
// The same commit gives the same bytes, whatever the folder and the machine, as long as the Go version is the same.
// The command is a module of its own, so that its dependencies never enter the go.mod of the service.
//
//	go -C release run . -out ../dist
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run parses the command line and makes the release. It reports each step to
// progress.
func run(ctx context.Context, args []string, progress io.Writer) error {
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(progress)
	root := flags.String("root", "..", "root `folder` of the repository")
	out := flags.String("out", "../dist", "`folder` for the files; what it contains is replaced")
	only := flags.String("only", "", "build only these `targets`, such as linux/amd64,darwin/arm64; default all")
	if err := flags.Parse(args); err != nil {
		return err
	}
	targets, err := chosen(*only)
	if err != nil {
		return err
	}
	source, err := readSource(ctx, *root)
	if err != nil {
		return err
	}
	return (&maker{source: source, out: *out, progress: progress}).make(ctx, targets)
}

// A target is a system and a processor for which a binary is built.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// allTargets are the targets of a release.
var allTargets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// chosen returns the targets that list names, separated by commas, or all of
// them if list is empty.
func chosen(list string) ([]target, error) {
	if list == "" {
		return allTargets, nil
	}
	var targets []target
	for name := range strings.SplitSeq(list, ",") {
		found := false
		for _, t := range allTargets {
			if t.String() == name {
				targets, found = append(targets, t), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no target %q; there are %v", name, allTargets)
		}
	}
	return targets, nil
}
