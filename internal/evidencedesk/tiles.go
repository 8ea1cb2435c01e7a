package evidencedesk

import (
	"bytes"
	"fmt"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
	"verdict/internal/store"
)

// unvisited is a visitor of leaves that does nothing.
func unvisited(tlog.Hash) error { return nil }

// tileAudit computes the tiles of a log from its leaves, and compares the stored tiles with them. A damaged tile
// alters no decision, but without it there are no proofs, and the log may not be signed any more.
type tileAudit struct {
	log        store.LogReader
	generation int64
	left       int64 // how many leaves of the last checkpoint are still to be added
	levels     []tileLevel
	why        string // what is wrong with the first wrong tile
}

// tileLevel is the last tile of a level, which is not full.
type tileLevel struct {
	number int64
	hashes []tlog.Hash
}

// add adds the hash of the next leaf. It ignores leaves after the last checkpoint.
func (a *tileAudit) add(hash tlog.Hash) error {
	if a.left == 0 || a.why != "" {
		return nil
	}
	a.left--
	for level := 0; ; level++ {
		if level == len(a.levels) {
			a.levels = append(a.levels, tileLevel{})
		}
		l := &a.levels[level]
		l.hashes = append(l.hashes, hash)
		if len(l.hashes) < evidence.TileWidth {
			return nil
		}
		if err := a.compare(level); err != nil {
			return err
		}
		var roots evidence.Roots
		for _, h := range l.hashes {
			roots.Add(h)
		}
		hash = roots.Root()
		l.number, l.hashes = l.number+1, l.hashes[:0]
	}
}

// finish compares the tiles that are not full. It returns what is wrong, or "".
func (a *tileAudit) finish() (why string, err error) {
	for level := range a.levels {
		if err := a.compare(level); err != nil {
			return "", err
		}
	}
	return a.why, nil
}

// compare compares the last tile of a level with the stored one, which may be longer.
func (a *tileAudit) compare(level int) error {
	l := &a.levels[level]
	if len(l.hashes) == 0 || a.why != "" {
		return nil
	}
	stored, err := a.log.Tiles(a.generation, []store.LogTile{{Level: int64(level), Number: l.number}})
	if err != nil {
		return err
	}
	var want []byte
	for i := range l.hashes {
		want = append(want, l.hashes[i][:]...)
	}
	switch {
	case len(stored[0]) < len(want):
		a.why = fmt.Sprintf("the hashes of tile %d/%d of the log are missing", level, l.number)
	case !bytes.HasPrefix(stored[0], want):
		a.why = fmt.Sprintf("the hashes of tile %d/%d of the log were altered", level, l.number)
	}
	return nil
}
