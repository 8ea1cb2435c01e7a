// Package logkey reads and writes the files of the log key: the secret key with which checkpoints
// are signed, and the last checkpoints that were signed with it. Both are outside the database on
// purpose: somebody who can write to the database must not be able to sign, and the service must
// notice if an older copy of the database was restored.
package logkey
