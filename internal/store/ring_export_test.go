package store

// RingTexts returns the two statements that find an observation's rings. The first
// statement reads the ring of its applicant and the known rings of its entities, and the
// second finds the people who share the entities. args holds the arguments of each
// statement without the tenant and the environment.
func RingTexts(o Observation, w Windows) (texts []string, args [][]any) {
	g := &grouping{rings: map[string]*ringRow{}}
	var unknown []int
	for i, e := range o.Entities {
		g.ties = append(g.ties, ringTie{entity: e, rings: []string{"ring"}})
		unknown = append(unknown, i)
	}
	rings := g.ringQuery(o)
	for i := range g.ties {
		g.ties[i].rings = nil
	}
	for _, q := range []*query{rings, g.sharerQuery(o, w, unknown)} {
		texts, args = append(texts, q.text.String()), append(args, q.args)
	}
	return texts, args
}
