package store

// CountText returns the statement that counts an observation, and its arguments
// without the tenant and the environment. It assumes that all entities were first
// seen long ago.
func CountText(o Observation, w Windows) (text string, args []any) {
	known := map[string]entityState{}
	for _, e := range o.Entities {
		known[e.Kind] = entityState{firstMicros: 1}
	}
	t := o.questions(w, known, &ObservedCounts{Applicants: map[string]int64{}})
	return t.query.text.String(), t.query.args
}
