package store

import (
	"bytes"
	"context"
	"slices"
)

// KeyHolder is a running node with the master keys that it has.
type KeyHolder struct {
	Node         string
	Fingerprints [][]byte
}

// Has reports whether the node has the key with the given fingerprint.
func (h KeyHolder) Has(fingerprint []byte) bool {
	return slices.ContainsFunc(h.Fingerprints, func(f []byte) bool { return bytes.Equal(f, fingerprint) })
}

// fingerprintSize is the length of the fingerprint of a master key in bytes.
const fingerprintSize = 32

// HoldKeys records which master keys a node has, and removes nodes that were not seen since
// forgetMicros.
func (sec *Secrets) HoldKeys(ctx context.Context, h KeyHolder, nowMicros, forgetMicros int64) error {
	return sec.write(ctx, "key holders", func(s *transaction) error {
		if _, err := s.exec(`INSERT INTO key_holders (node, fingerprints, seen_micros) VALUES ($1, $2, $3)
			ON CONFLICT (node) DO UPDATE SET fingerprints = excluded.fingerprints, seen_micros = excluded.seen_micros`,
			h.Node, bytes.Join(h.Fingerprints, nil), nowMicros); err != nil {
			return err
		}
		_, err := s.exec("DELETE FROM key_holders WHERE seen_micros < $1", forgetMicros)
		return err
	})
}

// LeaveKeys removes a node that stops.
func (sec *Secrets) LeaveKeys(ctx context.Context, node string) error {
	return sec.write(ctx, "key holders", func(s *transaction) error {
		_, err := s.exec("DELETE FROM key_holders WHERE node = $1", node)
		return err
	})
}

// KeyHolders returns the nodes that were seen since sinceMicros, ordered by name.
func (sec *Secrets) KeyHolders(ctx context.Context, sinceMicros int64) (holders []KeyHolder, err error) {
	err = sec.read(ctx, func(s *transaction) error {
		holders = nil // the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var h KeyHolder
			var all []byte
			err := scan(&h.Node, &all)
			h.Fingerprints = slices.Collect(slices.Chunk(all, fingerprintSize))
			holders = append(holders, h)
			return err
		}, "SELECT node, fingerprints FROM key_holders WHERE seen_micros >= $1 ORDER BY node", sinceMicros)
	})
	return holders, err
}
