package sealing

import "bytes"

// Epoch encrypts the secrets of an installation, such as the key trees of all tenants. Its
// key is stored outside the database and is replaced after somebody was forgotten. An
// Epoch never changes, so it may be used concurrently.
type Epoch struct {
	key         Secret
	fingerprint Hash
}

// NewEpoch returns the epoch with a key, which must be random.
func NewEpoch(key Secret) *Epoch {
	return &Epoch{key: key, fingerprint: Hash(keyed(&key, "fingerprint", ""))}
}

// Fingerprint returns a hash that names the key and reveals nothing about it.
func (e *Epoch) Fingerprint() Hash { return e.fingerprint }

// wrappedForm is the first byte of a wrapped secret. The encoding of a key tree begins
// with another byte.
const wrappedForm = 0xE0

// secretZone is the zone of wrapped secrets. The zones of people's data have other
// numbers.
const secretZone Zone = 255

// Wrap encrypts a secret. The name must be unique among the secrets of the installation; a
// wrapped secret cannot be opened under another name.
func (e *Epoch) Wrap(name string, secret []byte) []byte {
	wrapped := make([]byte, 0, 1+len(e.fingerprint)+Overhead+len(secret))
	wrapped = append(append(wrapped, wrappedForm), e.fingerprint[:]...)
	hash := ZoneHash{secretZone, HashZone(secretZone, Salt{}, secret)}
	return e.sealer(name).Seal(wrapped, hash, secret)
}

// Unwrap decrypts a secret. It returns ErrUnreadable if the secret was wrapped by another
// epoch or under another name, or was altered.
func (e *Epoch) Unwrap(name string, wrapped []byte) ([]byte, error) {
	sealed, ok := bytes.CutPrefix(wrapped, append([]byte{wrappedForm}, e.fingerprint[:]...))
	if !ok {
		return nil, ErrUnreadable
	}
	return e.sealer(name).Open(secretZone, sealed)
}

func (e *Epoch) sealer(name string) Sealer { return NewSealer(e.key, "secret "+name) }

// Wrapped reports whether a stored secret was encrypted by an epoch.
func Wrapped(stored []byte) bool { return len(stored) > 0 && stored[0] == wrappedForm }

// WrappedBy returns the fingerprint of the epoch that has encrypted a stored secret. ok is
// false if the secret is not encrypted.
func WrappedBy(stored []byte) (fingerprint Hash, ok bool) {
	if !Wrapped(stored) || len(stored) < 1+len(fingerprint) {
		return Hash{}, false
	}
	return Hash(stored[1 : 1+len(fingerprint)]), true
}
