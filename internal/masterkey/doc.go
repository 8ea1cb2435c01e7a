// Package masterkey reads the master key from where the operator keeps it: a file, an
// environment variable, or the output of a command. The key trees of all tenants are
// encrypted with it, so it must never be in the database (ADR 23).
package masterkey
