package store

// Proof is the result of proving the guarantees of rule sets with the same content, encoded by the caller.
type Proof struct {
	Key           string // identifies the content and the version of the prover
	Document      []byte
	CreatedMicros int64
}

// KeepProof stores a proof. It replaces the stored proof with the same key.
func (rs RuleSets) KeepProof(p Proof) error {
	_, err := rs.tx.StoredBytes().deleteCounted(`DELETE FROM guarantee_proofs
		WHERE tenant_id = $1 AND environment = $2 AND proof_key = $3 RETURNING length(document)`, p.Key)
	if err != nil {
		return err
	}
	_, err = rs.tx.exec(`INSERT INTO guarantee_proofs (tenant_id, environment, proof_key, document, created_micros)
		VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, environment, proof_key) DO UPDATE SET document = excluded.document`,
		p.Key, notNil(p.Document), p.CreatedMicros)
	if err != nil {
		return err
	}
	return rs.tx.StoredBytes().add(len(p.Document))
}

// Proof returns the proof with a key. If there is none, the result has no document.
func (rs RuleSetReader) Proof(key string) (Proof, error) {
	return read(rs.access, func(tx *Tx) (Proof, error) {
		p := Proof{Key: key}
		err := tx.one([]any{&p.Document, &p.CreatedMicros}, `SELECT document, created_micros FROM guarantee_proofs
			WHERE tenant_id = $1 AND environment = $2 AND proof_key = $3`, key)
		return p, ignoreAbsent(err)
	})
}
