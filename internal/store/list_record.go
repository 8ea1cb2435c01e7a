package store

import (
	"strconv"

	"verdict/internal/evidence"
	"verdict/internal/wire"
)

// The types of the journal events about lists.
const (
	eventListCreated = "list.created"
	eventListChanged = "list.changed"
	EventListDeleted = "list.deleted"
)

// LoggedList is a list with the number of the journal entry of its last change.
type LoggedList struct {
	List
	Leaf int64
	Salt []byte // the salt of the hash over all columns of the list
}

func (l *LoggedList) fields() []any { return append(l.List.fields(), &l.Leaf, &l.Salt) }

// Commitment returns the salted hash of the row, which is part of the journal entry of its last change. The directory
// contains hashes of the chunks, so the commitment also covers the entries.
func (l *LoggedList) Commitment() [32]byte {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return evidence.Commit(l.Salt, l.ID, l.Name, l.Type, number(l.Version), number(l.Entries), number(l.Bytes),
		string(l.Directory), number(l.CreatedMicros), l.CreatedBy, number(l.UpdatedMicros), l.UpdatedBy)
}

// change returns the journal entry of a change of a list. l is the list after the change.
func (l *LoggedList) change(event string) evidence.Record {
	record := l.record(event, l.UpdatedBy, l.UpdatedMicros)
	record.Commitment = l.Commitment()
	return record
}

// deletion returns the journal entry of deleting the list.
func (l *List) deletion(actor string, nowMicros int64) evidence.Record {
	return l.record(EventListDeleted, actor, nowMicros)
}

func (l *List) record(event, actor string, micros int64) evidence.Record {
	return evidence.Record{
		Kind:   evidence.List,
		ID:     l.ID,
		Micros: wholeMillis(micros),
		Type:   event,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Key("entries").Int(l.Entries)
			w.Optional("list", l.Name)
			w.Optional("list_id", l.ID)
			w.Key("version").Int(l.Version)
		}),
	}
}

// AllLogged returns the lists of the scope with their journal entries. A scope has at most a hundred lists.
func (l ListReader) AllLogged() ([]LoggedList, error) {
	return read(l.access, func(tx *Tx) ([]LoggedList, error) {
		return eachRow(tx, (*LoggedList).fields, "SELECT "+listColumns+`, leaf, salt FROM lists
			WHERE tenant_id = $1 AND environment = $2 ORDER BY id`)
	})
}
