package usecase

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"verdict/internal/sealing"
	"verdict/internal/store"
)

const (
	keyWatchEvery = time.Second      // how often a node looks for a new master key
	keyHoldEvery  = 20 * time.Second // how often it says that it runs, if nothing has changed
	keyLostGrace  = time.Minute      // how long it waits for a key before it stops
)

// KeyHolderAge is how long a node counts as running after it last said which master keys it
// has.
const KeyHolderAge = 3 * keyHoldEvery

// WatchKeys follows the replacement of the master key until ctx ends: it reads a new key as
// soon as one is announced, tells the other nodes which keys this node has, and drops a key
// with which nothing is encrypted any more. It returns journal.ErrKeyReplaced if this node
// does not get a key that the database uses.
func (s *Set) WatchKeys(ctx context.Context) error {
	if s.keys == nil || !s.core.Keys.Seals() {
		<-ctx.Done()
		return nil
	}
	defer func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyWatchEvery)
		defer cancel()
		if err := s.core.DB.Secrets().LeaveKeys(last, s.node); err != nil {
			s.core.Logger.WarnContext(last,
				"could not record that this node stops; it counts as running until its record expires",
				"expires_after", KeyHolderAge, "error", err)
		}
	}()
	var w keyWatch
	tick := time.NewTicker(keyWatchEvery)
	defer tick.Stop()
	for {
		if err := s.watchOnce(ctx, &w); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// keyWatch is the state of WatchKeys between two checks.
type keyWatch struct {
	held     []byte // the keys that this node last reported to the other nodes
	heldAt   time.Time
	kept     [][]byte // keys that nobody needs, but that could not be removed
	keptAt   time.Time
	lostAt   time.Time // since when the key is lost; zero if it is not
	reported string    // the last failure that was logged, so that it is logged once
}

// watchOnce does the work of WatchKeys once. It logs failures of the database; the next call tries again.
func (s *Set) watchOnce(ctx context.Context, w *keyWatch) error {
	now := s.core.Now()
	epochs, err := s.core.Keys.Refresh(ctx)
	if err == nil {
		err = s.dropKeys(ctx, epochs, w)
	}
	held := append(s.core.Keys.Held(), w.kept...)
	if !bytes.Equal(bytes.Join(held, nil), w.held) || now.Sub(w.heldAt) >= keyHoldEvery {
		holder := store.KeyHolder{Node: s.node, Fingerprints: held}
		failed := s.core.DB.Secrets().HoldKeys(ctx, holder, now.UnixMicro(), now.Add(-KeyHolderAge).UnixMicro())
		if failed == nil {
			w.held, w.heldAt = bytes.Join(held, nil), now
		}
		err = errors.Join(err, failed)
	}
	switch {
	case err == nil && len(w.kept) == 0:
		w.reported = ""
	case err == nil:
	case ctx.Err() == nil && err.Error() != w.reported:
		w.reported = err.Error()
		s.core.Logger.WarnContext(ctx, "could not check for a new master key or remove the former one; trying again",
			"error", err)
	}
	lost := s.core.Keys.Lost()
	switch {
	case lost == nil:
		w.lostAt = time.Time{}
	case w.lostAt.IsZero():
		w.lostAt = now
		s.core.Logger.ErrorContext(ctx,
			"this node does not have the present master key, and stops if it does not get the key in time",
			"stops_after", keyLostGrace, "error", lost)
	case now.Sub(w.lostAt) >= keyLostGrace:
		return lost
	}
	return nil
}

// dropKeys removes, from this node's source of keys, the former keys that encrypt nothing any more.
// If a key cannot be removed, for instance because only the operator can do that, dropKeys tries
// again only after keyHoldEvery, because the source may be a command.
func (s *Set) dropKeys(ctx context.Context, epochs store.KeyEpochs, w *keyWatch) (err error) {
	now := s.core.Now()
	if len(w.kept) > 0 && now.Sub(w.keptAt) < keyHoldEvery {
		return nil
	}
	w.kept, w.keptAt = nil, now
	for _, e := range epochs.Retiring() {
		if e.ReplacedMicros == 0 || len(e.Fingerprint) != len(sealing.Hash{}) {
			continue
		}
		if failed := s.keys.Drop(ctx, sealing.Hash(e.Fingerprint)); failed != nil {
			w.kept = append(w.kept, e.Fingerprint)
			err = fmt.Errorf("remove the former master key: %w", failed)
		}
	}
	return err
}
