package store

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
)

// KeyEpoch is a master key that the database has used, uses, or is about to use. The key
// itself is not in the database.
type KeyEpoch struct {
	Number          int64
	Fingerprint     []byte
	BegunMicros     int64 // when it was announced, 0 if that is not known
	ReplacedMicros  int64 // since when no secret is encrypted with the key, 0 while there may be such a secret
	DestroyedMicros int64 // since when no node has the key, 0 while a node may have it
	ConfirmedMicros int64 // when the operator confirmed that its copies are destroyed, 0 if not yet
}

// KeyEpochs are the master keys of a database, oldest first.
type KeyEpochs struct {
	List    []KeyEpoch
	Current []byte // the fingerprint of the present key, nil if nothing is encrypted
}

// Present returns the present epoch. ok is false if there is none.
func (k KeyEpochs) Present() (e KeyEpoch, ok bool) { return k.Find(k.Current) }

// Find returns the epoch with the given fingerprint. ok is false if there is none.
func (k KeyEpochs) Find(fingerprint []byte) (e KeyEpoch, ok bool) {
	for _, e := range k.List {
		if bytes.Equal(e.Fingerprint, fingerprint) {
			return e, true
		}
	}
	return KeyEpoch{}, false
}

// Announced returns the epoch that comes after the present one. ok is false if none was
// announced.
func (k KeyEpochs) Announced() (e KeyEpoch, ok bool) {
	present, found := k.Present()
	if n := len(k.List); found && k.List[n-1].Number > present.Number {
		return k.List[n-1], true
	}
	return KeyEpoch{}, false
}

// Retiring returns the former epochs that some node may still have.
func (k KeyEpochs) Retiring() (former []KeyEpoch) {
	present, _ := k.Present()
	for _, e := range k.List {
		if e.Number < present.Number && e.DestroyedMicros == 0 {
			former = append(former, e)
		}
	}
	return former
}

// KeyEpochs returns the master keys of the database.
func (sec *Secrets) KeyEpochs(ctx context.Context) (found KeyEpochs, err error) {
	err = sec.read(ctx, func(s *transaction) (err error) {
		found, err = s.keyEpochs()
		return err
	})
	return found, err
}

func (s *transaction) keyEpochs() (found KeyEpochs, err error) {
	if err := ignoreAbsent(s.one([]any{&found.Current}, selectMasterKey)); err != nil {
		return found, err
	}
	err = s.each(func(scan func(...any) error) error {
		var e KeyEpoch
		err := scan(&e.Number, &e.Fingerprint, &e.BegunMicros, &e.ReplacedMicros, &e.DestroyedMicros,
			&e.ConfirmedMicros)
		found.List = append(found.List, e)
		return err
	}, `SELECT number, fingerprint, begun_micros, replaced_micros, destroyed_micros, confirmed_micros
		FROM key_epochs ORDER BY number`)
	return found, err
}

// errKeyInUse rolls back the transaction of ReplacedKeys.
var errKeyInUse = errors.New("something is encrypted with a former master key")

// AnnounceKey adds the epoch of a new master key. All nodes must have the key before it is used. If another key is
// announced already, nothing changes. AnnounceKey returns the fingerprint of the announced key.
func (sec *Secrets) AnnounceKey(
	ctx context.Context, fingerprint []byte, nowMicros int64,
) (announced []byte, err error) {
	err = sec.write(ctx, keyRotation, func(s *transaction) error {
		epochs, err := s.lockedEpochs()
		if err != nil {
			return err
		}
		if e, ok := epochs.Announced(); ok {
			announced = e.Fingerprint
			return nil
		}
		announced = fingerprint
		_, err = s.exec("INSERT INTO key_epochs (number, fingerprint, begun_micros) VALUES ($1, $2, $3)",
			int64(len(epochs.List)+1), fingerprint, nowMicros)
		return err
	})
	return announced, err
}

// lockedEpochs returns the epochs, and locks the row that names the present epoch until the transaction ends.
func (s *transaction) lockedEpochs() (KeyEpochs, error) {
	var current []byte
	if err := s.one([]any{&current}, selectMasterKey+s.db.dialect.forUpdate); err != nil {
		return KeyEpochs{}, ignoreAbsent(err)
	}
	return s.keyEpochs()
}

// UseKey makes the announced master key the present one. It does nothing if the key is not announced.
func (sec *Secrets) UseKey(ctx context.Context, fingerprint []byte) error {
	return sec.write(ctx, keyRotation, func(s *transaction) error {
		epochs, err := s.lockedEpochs()
		if err != nil {
			return err
		}
		if e, ok := epochs.Announced(); !ok || !bytes.Equal(e.Fingerprint, fingerprint) {
			return nil
		}
		_, err = s.exec("UPDATE installation SET value = $1 WHERE name = 'master_key'", fingerprint)
		return err
	})
}

// wrappedByOther returns the SQL condition that the secret in a column is encrypted with a key whose fingerprint is
// not $2. $1 is the first byte of every encrypted secret.
func wrappedByOther(column string) string {
	return "substr(" + column + ", 1, 1) = $1 AND substr(" + column + ", 2, 32) <> $2"
}

// wrappedForm is the first byte of every secret that package sealing has wrapped, as a
// parameter of a statement.
var wrappedForm = []byte{0xE0}

// TreeSize is the size of a stored key tree.
type TreeSize struct {
	Tenant string
	Number int64
	Bytes  int64
}

// notWrapped is the SQL condition that a key tree is stored unencrypted. $1 is the first byte of every encrypted
// secret.
const notWrapped = "substr(tree, 1, 1) <> $1"

// KeyTreesToWrap returns the sizes of at most limit key trees that are encrypted with a master key other than the
// one with the given fingerprint. If fingerprint is nil, it returns those that are not encrypted. The order is by
// tenant and number. Parameter "after" is the last tree of the previous call, and the zero value for the first
// call.
func (sec *Secrets) KeyTreesToWrap(
	ctx context.Context, fingerprint []byte, after TreeSize, limit int,
) (found []TreeSize, err error) {
	which, args := notWrapped, []any{wrappedForm, after.Tenant, after.Number, int64(limit)}
	place := "($2, $3) ORDER BY tenant_id, number LIMIT $4"
	if fingerprint != nil {
		which, args = wrappedByOther("tree"), []any{wrappedForm, fingerprint, after.Tenant, after.Number, int64(limit)}
		place = "($3, $4) ORDER BY tenant_id, number LIMIT $5"
	}
	err = sec.read(ctx, func(s *transaction) error {
		found = nil // the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var t TreeSize
			err := scan(&t.Tenant, &t.Number, &t.Bytes)
			found = append(found, t)
			return err
		}, "SELECT tenant_id, number, length(tree) FROM key_trees WHERE "+which+" AND (tenant_id, number) > "+place,
			args...)
	})
	return found, err
}

// CountKeyTreesToWrap returns the number of key trees that are encrypted with a master key other than the one with the
// given fingerprint.
func (sec *Secrets) CountKeyTreesToWrap(ctx context.Context, fingerprint []byte) (count int64, err error) {
	err = sec.read(ctx, func(s *transaction) error {
		return s.one([]any{&count}, "SELECT count(*) FROM key_trees WHERE "+wrappedByOther("tree"),
			wrappedForm, fingerprint)
	})
	return count, err
}

// ReplacedKeys records that no secret is encrypted with the former master keys any more. From then on the database
// refuses secrets that are encrypted with them. If a secret is still encrypted with one of them, done is false and
// nothing changes.
func (sec *Secrets) ReplacedKeys(ctx context.Context, nowMicros int64) (done bool, err error) {
	err = sec.write(ctx, keyRotation, func(s *transaction) error {
		epochs, err := s.lockedEpochs()
		if err != nil {
			return err
		}
		for _, e := range epochs.Retiring() {
			// On PostgreSQL this waits for transactions that store secrets encrypted with the key.
			if _, err := s.exec("UPDATE key_epochs SET replaced_micros = $2 WHERE number = $1 AND replaced_micros = 0",
				e.Number, nowMicros); err != nil {
				return err
			}
		}
		var used int64
		if err := s.one([]any{&used}, `SELECT CASE WHEN
			EXISTS (SELECT 1 FROM key_trees WHERE `+wrappedByOther("tree")+`) OR
			EXISTS (SELECT 1 FROM installation WHERE name = 'secret' AND `+wrappedByOther("value")+`)
			THEN 1 ELSE 0 END`, wrappedForm, epochs.Current); err != nil {
			return err
		}
		if used != 0 {
			return errKeyInUse
		}
		return nil
	})
	if errors.Is(err, errKeyInUse) {
		return false, nil
	}
	return err == nil, err
}

// DestroyedKeys records that no node has the former master keys any more.
func (sec *Secrets) DestroyedKeys(ctx context.Context, nowMicros int64) error {
	return sec.write(ctx, keyRotation, func(s *transaction) error {
		_, err := s.exec(`UPDATE key_epochs SET destroyed_micros = $1
			WHERE destroyed_micros = 0 AND replaced_micros <> 0`, nowMicros)
		return err
	})
}

// ConfirmKeys records that all copies of the destroyed master keys are destroyed too. It returns the number of keys
// for which this was not recorded before.
func (sec *Secrets) ConfirmKeys(ctx context.Context, nowMicros int64) (confirmed int64, err error) {
	err = sec.write(ctx, keyRotation, func(s *transaction) (err error) {
		confirmed, err = s.exec(`UPDATE key_epochs SET confirmed_micros = $1
			WHERE confirmed_micros = 0 AND destroyed_micros <> 0`, nowMicros)
		return err
	})
	return confirmed, err
}

// BeyondRecovery returns the time, in microseconds, at which it was confirmed that nobody can decrypt data that was
// erased at erasedMicros. It returns 0 if that is not confirmed. Copies of the database from before the erasure
// contain the person's key, encrypted with one of the master keys that were announced before the erasure. So all
// these master keys and their copies must be destroyed.
func (k KeyEpochs) BeyondRecovery(erasedMicros int64) (micros int64) {
	for _, e := range k.List {
		switch {
		case e.BegunMicros > erasedMicros:
			return micros
		case e.ConfirmedMicros == 0:
			return 0
		}
		micros = max(micros, e.ConfirmedMicros)
	}
	return micros
}

// keyRotation is the purpose of the writes of a rotation, and the name of its lease.
const keyRotation = "key_rotation"

// LeaseRotation lets one process at a time replace the master key. done is false if another owner has the lease. If
// untilMicros is 0, the owner gives the lease back.
func (sec *Secrets) LeaseRotation(
	ctx context.Context, owner string, nowMicros, untilMicros int64,
) (done bool, err error) {
	err = sec.write(ctx, keyRotation, func(s *transaction) error {
		var value []byte
		err := s.one([]any{&value}, "SELECT value FROM installation WHERE name = $1"+s.db.dialect.forUpdate,
			keyRotation)
		if ignoreAbsent(err) != nil {
			return err
		}
		text, holder, _ := strings.Cut(string(value), " ")
		until, _ := strconv.ParseInt(text, 10, 64) // 0 if there is no lease
		if done = holder == owner || until <= nowMicros; !done {
			return nil
		}
		_, err = s.exec("INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO "+
			"UPDATE SET value = excluded.value", keyRotation, []byte(strconv.FormatInt(untilMicros, 10)+" "+owner))
		return err
	})
	return done, err
}
