package store

// Scorecard is one version of a scorecard. Its document never changes.
type Scorecard struct {
	ID            string
	Name          string
	Version       int64 // assigned by Insert; each name has its own numbering
	Document      []byte
	Checksum      string
	CreatedMicros int64
	CreatedBy     string
}

const scorecardColumns = "id, name, version, document, checksum, created_micros, created_by"

func (c *Scorecard) fields() []any {
	return []any{&c.ID, &c.Name, &c.Version, &c.Document, &c.Checksum, &c.CreatedMicros, &c.CreatedBy}
}

// Insert stores a scorecard with its entry in the journal, and returns it with its version.
func (sc Scorecards) Insert(c Scorecard) (Scorecard, error) {
	version, err := nextVersion(sc.tx, "scorecard", c.Name)
	if err != nil {
		return Scorecard{}, err
	}
	c.Version = version
	logged := LoggedScorecard{Scorecard: c, Salt: newSalt()}
	leaf, err := sc.tx.record(logged.Record())
	if err != nil {
		return Scorecard{}, err
	}
	_, err = sc.tx.exec(
		`INSERT INTO scorecards (tenant_id, environment, id, name, version, document, checksum, `+
			`created_micros, created_by, leaf, salt)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		c.ID, c.Name, c.Version, notNil(c.Document), c.Checksum, c.CreatedMicros, c.CreatedBy, leaf, logged.Salt)
	if err != nil {
		return Scorecard{}, err
	}
	return c, sc.tx.StoredBytes().add(len(c.Document))
}

// Get returns a scorecard, NotFound if there is none.
func (sc ScorecardReader) Get(id string) (Scorecard, error) {
	return read(sc.access, func(tx *Tx) (Scorecard, error) {
		var c Scorecard
		err := tx.one(c.fields(),
			"SELECT "+scorecardColumns+" FROM scorecards WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		return c, orNotFound("scorecard", err)
	})
}

// List returns a page of the scope's scorecards, and whether there are more. If
// name is not "", only scorecards with this name are listed.
func (sc ScorecardReader) List(name string, p Page) ([]Scorecard, bool, error) {
	return readTwo(sc.access, func(tx *Tx) ([]Scorecard, bool, error) {
		q := listOf("SELECT " + scorecardColumns + " FROM scorecards WHERE tenant_id = $1 AND environment = $2")
		q.equals("name", name)
		q.page(p)
		var room pageBytes
		return list(tx, q, p, func(scan func(...any) error) (c Scorecard, err error) {
			if err = scan(c.fields()...); err == nil {
				err = room.take(c.Document)
			}
			return c, err
		})
	})
}
