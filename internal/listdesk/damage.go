package listdesk

import (
	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/store"
)

// Damage compares the stored chunks of a list with its directory, which has a hash of each chunk. It returns how they
// differ, or "" if they do not.
func Damage(tx *store.Tx, of *store.List) (string, error) {
	directory, err := list.ReadDirectory(of.Directory)
	if err != nil {
		return err.Error(), nil
	}
	for id := range directory.Chunks {
		switch c, err := tx.Lists().Chunk(of.ID, id); {
		case fault.KindOf(err) == fault.NotFound:
			return "a part of the list is missing", nil
		case err != nil:
			return "", err
		case !list.Intact(of.ID, id, c.Keys) || !list.IntactValues(c.Keys, c.Values):
			return errAltered.Error(), nil
		}
	}
	return "", nil
}
