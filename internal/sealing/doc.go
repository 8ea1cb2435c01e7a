// Package sealing encrypts the stored data about people, so that the data of a person
// can be made unreadable permanently (forgotten).
//
// Every person has a data key, and so has every decision whose applicant is not
// named. The keys are not stored: they are derived from a KeyTree, one for each
// tenant. To forget a person, the person's key is removed from the tree. The
// remaining tree can derive every other key, but not the removed key. Trees are
// stored encrypted with a key that is stored elsewhere and is replaced after a person
// was forgotten. So an older copy of the database reveals forgotten data only together
// with an older key, which should have been destroyed (ADR 23).
//
// The data that a decision stores about a person is sealed in zones. Each zone has a
// ciphertext and a salted hash. The hash remains when the ciphertext is removed, so
// that a decision can still be checked against the log.
//
// The package is pure: the caller passes in the randomness.
package sealing
