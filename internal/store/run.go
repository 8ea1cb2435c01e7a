package store

// Run is a run of an agent, as it was answered. It changes only when it is erased.
type Run struct {
	ID            string
	Agent         string
	CreatedMicros int64
	Actor         string
	SubjectRef    string // the applicant or the loan, as the caller names it
	DecisionID    string // "" for an agent that decides nothing
	Outcome       string
	Hash          string // hash of the data that a repetition must reproduce
	Request       []byte // the input for repeating the run; nil in lists
	Response      []byte // the bytes of the answer; nil in lists
}

const runColumns = "id, agent, created_micros, actor, subject_ref, decision_id, outcome, hash"

func (r *Run) fields() []any {
	return []any{&r.ID, &r.Agent, &r.CreatedMicros, &r.Actor, &r.SubjectRef, &r.DecisionID, &r.Outcome, &r.Hash}
}

// Insert stores a run. keyChanges is the value that KeyState.Changes had when the keys of the run were read; Insert
// returns ErrKeysChanged if the keys were changed since.
func (ru Runs) Insert(r Run, keyChanges int64) error {
	if err := ru.tx.KeyTrees().Check(keyChanges); err != nil {
		return err
	}
	ru.tx.noteWritten(r.ID)
	_, err := ru.tx.exec(`INSERT INTO agent_runs (tenant_id, environment, id, agent, created_micros, actor, subject_ref,
		decision_id, outcome, hash, request, response) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		r.ID, r.Agent, r.CreatedMicros, r.Actor, r.SubjectRef, r.DecisionID, r.Outcome, r.Hash, notNil(r.Request),
		notNil(r.Response))
	return err
}

// Get returns a run with its request and response, NotFound if there is none.
func (ru RunReader) Get(id string) (Run, error) {
	return readOf(ru.access, id, func(tx *Tx) (Run, error) {
		var r Run
		err := tx.one(append(r.fields(), &r.Request, &r.Response),
			"SELECT "+runColumns+
				", request, response FROM agent_runs WHERE tenant_id = $1 AND environment = $2 AND id = $3", id)
		return r, orNotFound("run", err)
	})
}

// RunFilter filters a list of runs; empty fields match everything.
type RunFilter struct {
	Agent, Outcome, SubjectRef string
}

// List returns a page of the scope's runs, without request and response, and
// whether there are more.
func (ru RunReader) List(f RunFilter, p Page) ([]Run, bool, error) {
	return readTwo(ru.access, func(tx *Tx) ([]Run, bool, error) {
		q := listOf("SELECT " + runColumns + " FROM agent_runs WHERE tenant_id = $1 AND environment = $2")
		q.equals("agent", f.Agent)
		q.equals("outcome", f.Outcome)
		q.equals("subject_ref", f.SubjectRef)
		q.page(p)
		return list(tx, q, p, func(scan func(...any) error) (r Run, err error) {
			err = scan(r.fields()...)
			return r, err
		})
	})
}
