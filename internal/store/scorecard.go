package store

import "context"

// Scorecard is one version of a scorecard. Its document never changes.
type Scorecard struct {
	ID            string
	Name          string
	Version       int64 // given by InsertScorecard, counted by name
	Document      []byte
	Checksum      string
	CreatedMicros int64
	CreatedBy     string
}

const scorecardColumns = "id, name, version, document, checksum, created_micros, created_by"

func (c *Scorecard) fields() []any {
	return []any{&c.ID, &c.Name, &c.Version, &c.Document, &c.Checksum, &c.CreatedMicros, &c.CreatedBy}
}

// InsertScorecard stores a scorecard and returns it with its version.
func (tx *Tx) InsertScorecard(c Scorecard) (Scorecard, error) {
	version, err := tx.nextVersion("scorecard", c.Name)
	if err != nil {
		return Scorecard{}, err
	}
	c.Version = version
	_, err = tx.exec(`INSERT INTO scorecards (tenant_id, environment, id, name, version, document, checksum, created_micros, created_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		c.ID, c.Name, c.Version, present(c.Document), c.Checksum, c.CreatedMicros, c.CreatedBy)
	return c, err
}

// Scorecard finds a scorecard by id.
func (tx *Tx) Scorecard(id string) (Scorecard, error) {
	var c Scorecard
	err := tx.one(c.fields(), "SELECT "+scorecardColumns+" FROM scorecards WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
	return c, oneOf("scorecard", err)
}

// ListScorecards is a page of the scope's scorecards, and whether there are more.
func (tx *Tx) ListScorecards(name string, p Page) ([]Scorecard, bool, error) {
	q := listOf("SELECT " + scorecardColumns + " FROM scorecards WHERE tenant_id = $1 AND environment = $2")
	q.is("name", name)
	q.page(p)
	var room pageRoom
	return list(tx, q, p, func(scan func(...any) error) (c Scorecard, err error) {
		if err = scan(c.fields()...); err == nil {
			err = room.take(c.Document)
		}
		return c, err
	})
}

// InsertScorecard is Tx.InsertScorecard and an audit entry in a transaction of
// their own.
func (s *Scope) InsertScorecard(ctx context.Context, c Scorecard, audit AuditEntry) (Scorecard, error) {
	return inWrite(ctx, s, func(tx *Tx) (Scorecard, error) {
		stored, err := tx.InsertScorecard(c)
		if err != nil {
			return Scorecard{}, err
		}
		return stored, tx.insertAudit(audit)
	})
}

// Scorecard is Tx.Scorecard in a transaction of its own.
func (s *Scope) Scorecard(ctx context.Context, id string) (Scorecard, error) {
	return inRead(ctx, s, func(tx *Tx) (Scorecard, error) { return tx.Scorecard(id) })
}

// ListScorecards is Tx.ListScorecards in a transaction of its own.
func (s *Scope) ListScorecards(ctx context.Context, name string, p Page) ([]Scorecard, bool, error) {
	return inList(s.reading(ctx), func(tx *Tx) ([]Scorecard, bool, error) { return tx.ListScorecards(name, p) })
}
