// Package sealing encrypts what is stored about people, so that it can be forgotten.
//
// Every person has a data key. The keys are not stored: they are derived from a
// KeyTree, one for each tenant. To forget a person, the person's key is removed from
// the tree; the tree that is left derives every other key, and nothing derives that
// one. Trees are stored encrypted with a key that is kept elsewhere and replaced when
// somebody was forgotten. So an older copy of the database opens what was forgotten
// only with a key that was to be destroyed (ADR 23).
//
// What a decision stores about a person is sealed by zones. Each zone has a
// ciphertext and a salted hash; the hash stays when the ciphertext is removed, so
// that a decision can still be checked against the log.
//
// The package is pure: randomness is handed in.
package sealing
