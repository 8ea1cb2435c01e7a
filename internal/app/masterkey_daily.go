package app

import (
	"context"
	"errors"
	"time"
)

const (
	rotationCheck = 10 * time.Minute // how often a node checks whether the master key must be replaced
	rotationAge   = 24 * time.Hour   // minimum time that a key is used
)

// rotateDaily runs until ctx ends. It replaces the master key at most once a day, and only if somebody was erased or
// the key of an upload was destroyed since the last replacement. It does so only for a key in a file: other keys are
// replaced by the operator.
func (a *App) rotateDaily(ctx context.Context) {
	source, ok := a.config.masterKeySource()
	if _, isFile := source.Path(); !ok || !isFile {
		return
	}
	tick := time.NewTicker(rotationCheck)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			a.rotateIfDue(ctx)
		}
	}
}

// rotateIfDue replaces the master key if it is due, and logs the result. Failures are tried
// again at the next check.
func (a *App) rotateIfDue(ctx context.Context) {
	due, err := a.rotationDue(ctx)
	if err != nil || !due {
		if err != nil && ctx.Err() == nil {
			a.logger.WarnContext(ctx, "could not find out whether the master key must be replaced; trying again later",
				"error", err)
		}
		return
	}
	r, err := RotateMasterKey(ctx, a.config, a.db, RotateOptions{})
	switch {
	case errors.Is(err, ErrRotating) || ctx.Err() != nil: // another node replaces the key, or this node stops
	case err != nil:
		a.logger.ErrorContext(ctx, "could not replace the master key; trying again later", "error", err)
	case len(r.Left) > 0:
		a.logger.WarnContext(ctx, "replaced the master key, but the old key is still in some places; remove it there",
			"places", r.Left)
	default:
		a.logger.InfoContext(ctx, "replaced the master key; destroy the KEYS files of older backups, "+
			"and run \"verdict keys confirm\"")
	}
}

// rotationDue reports whether the master key must be replaced. One reason is an interrupted rotation. The other
// reason is a key that has been used for at least a day, if somebody was erased or the key of an upload was
// destroyed since its first use.
func (a *App) rotationDue(ctx context.Context) (bool, error) {
	epochs, err := a.db.Secrets().KeyEpochs(ctx)
	if err != nil || epochs.Current == nil {
		return false, err
	}
	if _, announced := epochs.Announced(); announced || len(epochs.Retiring()) > 0 {
		return true, nil
	}
	present, _ := epochs.Present()
	begun := time.UnixMicro(present.BegunMicros)
	if a.config.now().Sub(begun) < rotationAge {
		return false, nil
	}
	return a.db.System().ErasedSince(ctx, present.BegunMicros)
}
