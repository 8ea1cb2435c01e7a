// Package sealing encrypts what is stored about people, so that it can be forgotten.
//
// Every person has a data key. The keys are not stored: they are derived from a
// KeyTree, one for each tenant. To forget a person, the person's key is removed from
// the tree; the tree that is left derives every other key, and nothing derives that
// one. Only the current tree exists in readable form, so no older copy of the
// database opens what was forgotten, however it was made (ADR 23).
//
// What a decision stores about a person is sealed by zones. Each zone has a
// ciphertext and a salted hash; the hash stays when the ciphertext is removed, so
// that a decision can still be checked against the log.
//
// The package is pure: randomness is handed in.
package sealing
