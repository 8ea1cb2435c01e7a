package store

import "context"

// sealedForm is the first byte of every document that package sealing has sealed, as a
// parameter of a statement. The triggers of migration 0020 contain it too.
var sealedForm = []byte{0xE1}

// WithUnencrypted returns decisions whose documents are stored unencrypted, with their documents, oldest first. It
// begins after an id and returns at most limit decisions. It scans at most scanRows decisions, so it may return fewer,
// or none. next is the id after which to continue, "" if there are no more decisions.
func (ds DecisionReader) WithUnencrypted(after string, limit int) (found []Decision, next string, err error) {
	// The facts of a co-applicant may be readable although the primary applicant was erased.
	return ds.scanned(`(length(response) > 0 AND substr(response, 1, 1) <> $6 OR EXISTS (SELECT 1 FROM decision_people p
		WHERE p.tenant_id = $1 AND p.environment = $2 AND p.decision_id = decisions.id
			AND length(p.facts) > 0 AND substr(p.facts, 1, 1) <> $6))`, after, limit, sealedForm)
}

// SealDocuments replaces the unencrypted documents of stored decisions, and of their features,
// by the ciphertexts. It skips a decision whose documents are sealed already, because
// another node was faster, or were erased. It returns ErrKeysChanged if the keys were changed
// since the documents were sealed.
func (ds Decisions) SealDocuments(writes []*DecisionWrite) error {
	if len(writes) > 0 {
		if err := ds.tx.KeyTrees().Check(writes[0].KeyChanges); err != nil {
			return err
		}
	}
	for _, w := range writes {
		changed, err := ds.tx.exec(`UPDATE decisions SET response = $4, facts = $5 WHERE tenant_id = $1
			AND environment = $2 AND id = $3 AND length(response) > 0 AND substr(response, 1, 1) <> $6`,
			w.Decision.ID, w.Decision.Response, w.Decision.Facts, sealedForm)
		if err != nil {
			return err
		}
		if f := w.Features; f != nil && changed == 1 {
			if _, err := ds.tx.exec(`UPDATE decision_features SET vector = $4, source = $5 WHERE tenant_id = $1
				AND environment = $2 AND decision_id = $3 AND (length(vector) > 0 AND substr(vector, 1, 1) <> $6
					OR length(source) > 0 AND substr(source, 1, 1) <> $6)`,
				w.Decision.ID, f.Vector, f.Source, sealedForm); err != nil {
				return err
			}
		}
		for i := range w.Decision.People {
			p := &w.Decision.People[i]
			if _, err := ds.tx.exec(`UPDATE decision_people SET facts = $5 WHERE tenant_id = $1 AND environment = $2
				AND decision_id = $3 AND role = $4 AND length(facts) > 0 AND substr(facts, 1, 1) <> $6`,
				w.Decision.ID, p.Role, p.Facts, sealedForm); err != nil {
				return err
			}
		}
	}
	return nil
}

// WithUnencrypted returns runs whose documents are stored unencrypted, with their documents, oldest first. It begins
// after an id and returns at most limit runs. Like DecisionReader.WithUnencrypted, it may return fewer.
func (ru RunReader) WithUnencrypted(after string, limit int) (found []Run, next string, err error) {
	return ru.scanned("length(response) > 0 AND substr(response, 1, 1) <> $6", after, limit)
}

// WithSealed returns runs whose documents are sealed, oldest first. It begins after an id and returns at most limit
// runs. Like DecisionReader.WithUnencrypted, it may return fewer.
func (ru RunReader) WithSealed(after string, limit int) (found []Run, next string, err error) {
	return ru.scanned("substr(response, 1, 1) = $6", after, limit)
}

func (ru RunReader) scanned(condition, after string, limit int) (found []Run, next string, err error) {
	return readTwo(ru.access, func(tx *Tx) (found []Run, next string, err error) {
		end, err := scanEnd(tx, "agent_runs", after)
		if err != nil {
			return nil, "", err
		}
		err = tx.each(func(scan func(...any) error) error {
			var r Run
			err := scan(append(r.fields(), &r.Request, &r.Response)...)
			found = append(found, r)
			return err
		}, "SELECT "+runColumns+`, request, response FROM agent_runs WHERE tenant_id = $1 AND environment = $2
			AND id > $3 AND id <= $4 AND `+condition+" ORDER BY id LIMIT $5",
			after, end, int64(limit), sealedForm)
		if len(found) == limit {
			return found, found[limit-1].ID, err
		}
		return found, nextScan(end), err
	})
}

// SealDocuments replaces the unencrypted documents of stored runs by the ciphertexts. It skips a run whose documents
// are sealed already or were erased. keyChanges is the value that KeyState.Changes had when the keys were read;
// SealDocuments returns ErrKeysChanged if the keys were changed since.
func (ru Runs) SealDocuments(runs []Run, keyChanges int64) error {
	if err := ru.tx.KeyTrees().Check(keyChanges); err != nil {
		return err
	}
	for _, r := range runs {
		if _, err := ru.tx.exec(`UPDATE agent_runs SET request = $4, response = $5 WHERE tenant_id = $1
			AND environment = $2 AND id = $3 AND length(response) > 0 AND substr(response, 1, 1) <> $6`,
			r.ID, r.Request, r.Response, sealedForm); err != nil {
			return err
		}
	}
	return nil
}

// DocumentsSealed reports whether SetDocumentsSealed was called.
func (sys *System) DocumentsSealed(ctx context.Context) (bool, error) {
	var found []string
	err := sys.read(ctx, func(s *transaction) (err error) {
		found, err = s.firstColumn("SELECT name FROM installation WHERE name = 'documents_sealed'")
		return err
	})
	return len(found) == 1, err
}

// SetDocumentsSealed records that no document is stored unencrypted. From then on nobody needs
// to look for one, because a database with a master key gets no unencrypted documents.
func (sys *System) SetDocumentsSealed(ctx context.Context) error {
	return sys.write(ctx, "documents sealed", func(s *transaction) error {
		_, err := s.exec("INSERT INTO installation (name, value) VALUES ('documents_sealed', $1) "+
			"ON CONFLICT (name) DO NOTHING", []byte{1})
		return err
	})
}

// lastID sorts after every id.
const lastID = "~"

// scanEnd returns the id of the last row of a scan. The scan reads the next scanRows rows after an id. If fewer rows
// follow, scanEnd returns lastID.
func scanEnd(tx *Tx, table, after string) (string, error) {
	end := lastID
	err := tx.one([]any{&end}, "SELECT id FROM "+table+` WHERE tenant_id = $1 AND environment = $2 AND id > $3
		ORDER BY id LIMIT 1 OFFSET $4`, after, int64(scanRows-1))
	return end, ignoreAbsent(err)
}

// nextScan returns the id after which to continue when a scan has reached its end, "" if
// there are no more rows.
func nextScan(end string) string {
	if end == lastID {
		return ""
	}
	return end
}

// scanned returns decisions that satisfy a condition, with their documents, oldest first. It begins after an id and
// returns at most limit decisions. It scans at most scanRows decisions.
func (ds DecisionReader) scanned(
	condition, after string, limit int, args ...any,
) (found []Decision, next string, err error) {
	return readTwo(ds.access, func(tx *Tx) (found []Decision, next string, err error) {
		end, err := scanEnd(tx, "decisions", after)
		if err != nil {
			return nil, "", err
		}
		err = tx.each(func(scan func(...any) error) error {
			var d Decision
			err := scan(d.allFields()...)
			found = append(found, d)
			return err
		}, "SELECT "+allColumns+` FROM decisions WHERE tenant_id = $1 AND environment = $2 AND id > $3 AND id <= $4
			AND `+condition+" ORDER BY id LIMIT $5", append([]any{after, end, int64(limit)}, args...)...)
		for i := 0; i < len(found) && err == nil; i++ {
			err = addPeople(tx, &found[i])
		}
		if len(found) == limit {
			return found, found[limit-1].ID, err
		}
		return found, nextScan(end), err
	})
}
