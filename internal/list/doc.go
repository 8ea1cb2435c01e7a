// Package list implements the lists of values in which a condition can look up a field: which values are equal, how
// entries are read and checked, and the form in which they are stored and searched.
//
// Two texts are equal if their normal forms are (see Normal). An entry is found by its key, a keyed hash of the
// normal form. A list is divided into chunks by the first bits of the keys, so that a lookup reads one chunk, and a
// change writes only the chunks that it affects.
//
// The package does no I/O. Package listdesk stores lists and caches their chunks.
package list
