package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"verdict/internal/journal"
	"verdict/internal/masterkey"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/usecase"
)

// Rotation is the result of RotateMasterKey.
type Rotation struct {
	Completed bool      // an interrupted rotation was completed
	Began     time.Time // when the new key was announced; KEYS files from before have the old key
	// Left lists the places where the old key still is and has to be removed. It is nil if the
	// old key is destroyed.
	Left []string
}

// RotateOptions configures RotateMasterKey. A zero field gets its default.
type RotateOptions struct {
	Random   io.Reader                                  // for the new key (default crypto/rand.Reader)
	Progress func(done, all int64)                      // reports the numbers of key trees (default: no report)
	Wait     time.Duration                              // how long to wait for the nodes (default two minutes)
	Sleep    func(context.Context, time.Duration) error // default: a timer

	// step is called before each step, for tests. An error stops the rotation there, as if the
	// process had been killed.
	step func(name string) error
}

const (
	rotationLease = time.Minute            // how long another process must wait after this one was killed
	nodesPoll     = 500 * time.Millisecond // how often the rotation checks whether the nodes are ready
)

// errKilled is returned by RotateOptions.step to simulate a killed process. RotateMasterKey then
// keeps the lease.
var errKilled = errors.New("killed")

// ErrRotating is the error if another process is replacing the master key.
var ErrRotating = errors.New("another process is replacing the master key, or was interrupted less than a minute " +
	"ago; try again later")

// RotateMasterKey replaces the master key by a new one while nodes are running, in steps that
// can be interrupted anywhere; the next call continues. The order of the steps makes sure that
// every key that encrypts something is in the key file of every running node:
//
//  1. the new key is added to the key file, after the old one
//  2. the new key is announced in the database, and every running node reads it
//  3. the new key becomes the present one
//  4. everything that is encrypted with the old key is encrypted with the new one
//  5. the database refuses secrets that are encrypted with the old key
//  6. the old key is removed from the key files of all nodes
//
// Keys in a variable or a key service are added and removed by the operator, and RotateMasterKey
// is called after each of these two steps.
func RotateMasterKey(ctx context.Context, c Config, db *store.DB, o RotateOptions) (r Rotation, err error) {
	source, configured := c.masterKeySource()
	if !configured || c.MasterKey == masterKeyOff {
		return r, errors.New("-master-key: name the key that is replaced")
	}
	w := &rotating{config: c, db: db, source: source, options: o.withDefaults(), owner: nodeName()}
	if err := w.lease(ctx); err != nil {
		return r, err
	}
	r, err = w.run(ctx)
	if !errors.Is(err, errKilled) {
		_, released := db.Secrets().LeaseRotation(context.WithoutCancel(ctx), w.owner, c.now().UnixMicro(), 0)
		err = errors.Join(err, released)
	}
	return r, err
}

func (o RotateOptions) withDefaults() RotateOptions {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Progress == nil {
		o.Progress = func(int64, int64) {}
	}
	if o.Wait == 0 {
		o.Wait = 2 * time.Minute
	}
	if o.Sleep == nil {
		o.Sleep = operation.Sleep
	}
	if o.step == nil {
		o.step = func(string) error { return nil }
	}
	return o
}

// rotating is a rotation in progress.
type rotating struct {
	config  Config
	db      *store.DB
	source  masterkey.Source
	options RotateOptions
	owner   string
}

// lease takes or extends the right to replace the key.
func (w *rotating) lease(ctx context.Context) error {
	now := w.config.now()
	done, err := w.db.Secrets().LeaseRotation(ctx, w.owner, now.UnixMicro(), now.Add(rotationLease).UnixMicro())
	if err == nil && !done {
		err = ErrRotating
	}
	return err
}

// step begins a step of the rotation.
func (w *rotating) step(ctx context.Context, name string) error {
	if err := w.options.step(name); err != nil {
		return err
	}
	return w.lease(ctx)
}

func (w *rotating) run(ctx context.Context) (r Rotation, err error) {
	held, epochs, err := w.prepare(ctx)
	if err != nil {
		return r, err
	}
	r.Completed = len(epochs.Retiring()) > 0
	if !r.Completed {
		_, r.Completed = epochs.Announced()
		if err := w.begin(ctx, held, epochs); err != nil {
			return r, err
		}
	}
	if err := w.wrapAgain(ctx); err != nil {
		return r, err
	}
	if epochs, err = w.db.Secrets().KeyEpochs(ctx); err != nil {
		return r, err
	}
	present, _ := epochs.Present()
	r.Began = time.UnixMicro(present.BegunMicros)
	r.Left, err = w.destroy(ctx, epochs)
	return r, err
}

// prepare reads the keys and the epochs. It returns an error if the present key is missing.
func (w *rotating) prepare(ctx context.Context) (held []sealing.Secret, epochs store.KeyEpochs, err error) {
	if held, err = w.source.Read(ctx); err != nil {
		return nil, epochs, fmt.Errorf("-master-key: %s: %w", w.source, err)
	}
	known, err := w.db.Secrets().MasterKey(ctx)
	switch {
	case err != nil:
		return nil, epochs, err
	case known == nil:
		return nil, epochs, errors.New("the database has no master key yet; it gets one when the service starts")
	}
	if _, err := w.config.chooseMasterKey(ctx, held, w.db); err != nil {
		return nil, epochs, err
	}
	// If the key is older than the list of epochs, SetMasterKey adds its row.
	if _, err := w.db.Secrets().SetMasterKey(ctx, known, w.config.now().UnixMicro()); err != nil {
		return nil, epochs, err
	}
	epochs, err = w.db.Secrets().KeyEpochs(ctx)
	return held, epochs, err
}

// begin makes a new key the present one as soon as every running node has it.
func (w *rotating) begin(ctx context.Context, held []sealing.Secret, epochs store.KeyEpochs) error {
	next, err := w.nextKey(ctx, held, epochs)
	if err != nil {
		return err
	}
	if err := w.step(ctx, "announce"); err != nil {
		return err
	}
	fingerprint := sealing.NewEpoch(next).Fingerprint()
	announced, err := w.db.Secrets().AnnounceKey(ctx, fingerprint[:], w.config.now().UnixMicro())
	if err != nil {
		return err
	}
	if string(announced) != string(fingerprint[:]) {
		return ErrRotating
	}
	if err := w.step(ctx, "wait"); err != nil {
		return err
	}
	without, err := w.waitForNodes(ctx, func(h store.KeyHolder) bool { return h.Has(fingerprint[:]) })
	if err != nil {
		return err
	}
	if len(without) > 0 {
		return fmt.Errorf("the new key is ready, but these nodes do not have it: %s. Copy %s to them, or give them "+
			"both keys, and run the command again; nothing is encrypted with the new key yet",
			strings.Join(without, "; "), w.source)
	}
	if err := w.step(ctx, "use"); err != nil {
		return err
	}
	// The new key must still be in the file. After the next statement its loss would be
	// permanent.
	if held, err = w.source.Read(ctx); err != nil {
		return fmt.Errorf("-master-key: %s: %w", w.source, err)
	}
	if !slices.Contains(held, next) {
		return fmt.Errorf("-master-key: the new key is no longer in %s; run the command again", w.source)
	}
	return w.db.Secrets().UseKey(ctx, fingerprint[:])
}

// nextKey returns the new key. It creates a new key in the key file, unless the file already has
// one from an interrupted rotation or from the operator.
func (w *rotating) nextKey(
	ctx context.Context, held []sealing.Secret, epochs store.KeyEpochs,
) (next sealing.Secret, err error) {
	announced, isAnnounced := epochs.Announced()
	for _, key := range slices.Backward(held) {
		fingerprint := sealing.NewEpoch(key).Fingerprint()
		_, known := epochs.Find(fingerprint[:])
		if isAnnounced && string(announced.Fingerprint) == string(fingerprint[:]) || !isAnnounced && !known {
			return key, nil
		}
	}
	if isAnnounced {
		return next, fmt.Errorf("-master-key: a new key was announced at %s, and %s does not have it; run the command "+
			"where the rotation was begun, or copy the key file from there",
			time.UnixMicro(announced.BegunMicros).UTC().Format(time.RFC3339), w.source)
	}
	if _, isFile := w.source.Path(); !isFile {
		return next, fmt.Errorf("-master-key: %s cannot be changed by this command. Add a new key, which \"verdict "+
			"keys create -\" prints, as a second line after the present one, make sure that every node has both, and "+
			"run the command again", w.source)
	}
	if err := w.step(ctx, "add"); err != nil {
		return next, err
	}
	if next, err = masterkey.New(w.options.Random); err != nil {
		return next, err
	}
	return next, w.source.Add(next)
}

// waitForNodes waits until every running node is ready. If the wait takes too long, it returns
// the names of the nodes that are not ready.
func (w *rotating) waitForNodes(
	ctx context.Context, ready func(store.KeyHolder) bool,
) (without []string, err error) {
	for waited := time.Duration(0); ; waited += nodesPoll {
		since := w.config.now().Add(-usecase.KeyHolderAge)
		holders, err := w.db.Secrets().KeyHolders(ctx, since.UnixMicro())
		if err != nil {
			return nil, err
		}
		without = nil
		for _, h := range holders {
			if !ready(h) {
				without = append(without, h.Node)
			}
		}
		if len(without) == 0 || waited >= w.options.Wait {
			return without, nil
		}
		if err := w.options.Sleep(ctx, nodesPoll); err != nil {
			return nil, err
		}
		if err := w.lease(ctx); err != nil {
			return nil, err
		}
	}
}

// wrapAgain encrypts everything with the present key, until nothing is encrypted with a former
// key.
func (w *rotating) wrapAgain(ctx context.Context) error {
	held, err := w.source.Read(ctx)
	if err != nil {
		return fmt.Errorf("-master-key: %s: %w", w.source, err)
	}
	present, err := w.config.chooseMasterKey(ctx, held, w.db)
	if err != nil {
		return err
	}
	keys := journal.NewKeys(w.db, present, w.source, w.options.Random, w.config.now)
	if _, err := keys.Refresh(ctx); err != nil {
		return err
	}
	for {
		if err := w.step(ctx, "wrap"); err != nil {
			return err
		}
		var interrupted error
		rest, cancel := context.WithCancel(ctx)
		err := keys.Rewrap(rest, func(done, all int64) {
			w.options.Progress(done, all)
			if interrupted = w.step(ctx, "wrap some"); interrupted != nil {
				cancel()
			}
		})
		cancel()
		if interrupted != nil {
			return interrupted
		}
		if err != nil {
			return err
		}
		if err := w.step(ctx, "replaced"); err != nil {
			return err
		}
		// A node may have stored a tree of a new tenant with the old key meanwhile.
		if done, err := w.db.Secrets().ReplacedKeys(ctx, w.config.now().UnixMicro()); err != nil || done {
			return err
		}
	}
}

// destroy removes the former keys from the key file, waits until no running node has them, and
// records that. It returns the places where a former key still is.
func (w *rotating) destroy(ctx context.Context, epochs store.KeyEpochs) (left []string, err error) {
	former := epochs.Retiring()
	if len(former) == 0 {
		return nil, nil
	}
	if err := w.step(ctx, "scrub"); err != nil {
		return nil, err
	}
	// On SQLite, this removes old copies of the trees from the files. These copies were encrypted with the
	// former key. A concurrent reader may prevent the removal; a later checkpoint then removes the copies.
	if _, err := w.db.System().Scrub(ctx); err != nil {
		return nil, err
	}
	if err := w.step(ctx, "drop"); err != nil {
		return nil, err
	}
	for _, e := range former {
		err := w.source.Drop(ctx, sealing.Hash(e.Fingerprint))
		switch {
		case errors.Is(err, masterkey.ErrNotAFile):
			left = append(left, w.source.String())
		case err != nil:
			return nil, fmt.Errorf("remove the former key from %s: %w", w.source, err)
		}
	}
	if len(left) > 0 { // nodes that have the same source have the key, too
		return left, nil
	}
	if err := w.step(ctx, "wait for nodes"); err != nil {
		return nil, err
	}
	left, err = w.waitForNodes(ctx, func(h store.KeyHolder) bool {
		return !slices.ContainsFunc(former, func(e store.KeyEpoch) bool { return h.Has(e.Fingerprint) })
	})
	if err != nil || len(left) > 0 {
		return left, err
	}
	if err := w.step(ctx, "destroyed"); err != nil {
		return nil, err
	}
	return nil, w.db.Secrets().DestroyedKeys(ctx, w.config.now().UnixMicro())
}
