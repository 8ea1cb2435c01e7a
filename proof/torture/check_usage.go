package torture

import "maps"

// usage is the answer to GET /v1/usage.
type usage struct {
	Period struct {
		Start string `json:"start"`
	} `json:"period"`
	Quota  *int64 `json:"quota"`
	Used   int64  `json:"used"`
	ByPath []struct {
		Endpoint string `json:"endpoint"`
		Count    int64  `json:"count"`
		Billable bool   `json:"billable"`
	} `json:"by_endpoint"`
	Daily []struct {
		Count int64 `json:"count"`
	} `json:"daily"`
}

// usageIsExact checks that the billed usage matches the answers.
func (c *checker) usageIsExact() error {
	body, err := c.read(c.scope.get("/v1/usage"))
	if err != nil {
		return err
	}
	var told usage
	if err := unmarshal(body, &told); err != nil {
		return err
	}
	c.learn(func() { c.model.usageTold(c.scope, told) })
	return nil
}

// usageTold compares the billed usage with the answers. The service reports the usage of one month only. While the
// clock is moved, some months may not have been read. The sum over the months that were read may then be less than
// the answers, but never more.
func (m *model) usageTold(s *scope, told usage) {
	if told.Quota == nil {
		m.violate("quota-kept", "%s used %d and has no quota", s, told.Used)
	} else if told.Used > *told.Quota {
		m.violate("quota-kept", "%s used %d of %d", s, told.Used, *told.Quota)
	}
	sums := map[string]int64{}
	var byPath, byDay int64
	for _, line := range told.ByPath {
		if line.Billable {
			sums[line.Endpoint] += line.Count
			byPath += line.Count
		}
	}
	for _, day := range told.Daily {
		byDay += day.Count
	}
	if byPath != told.Used || byDay != told.Used {
		m.violate("usage-exact", "%s used %d: %d by endpoint, %d by day", s, told.Used, byPath, byDay)
	}
	if told.Used < s.periods[told.Period.Start] {
		m.violate("usage-exact", "%s had used %d and has used %d", s, s.periods[told.Period.Start], told.Used)
	}
	s.periods[told.Period.Start] = told.Used
	var seen int64
	for _, used := range s.periods {
		seen += used
	}
	billed := s.totalBilled()
	if seen > billed || seen < billed && !m.faults.on("clock") {
		m.violate("usage-exact", "%s was answered %d units and billed %d", s, billed, seen)
	}
	if len(s.periods) == 1 && !m.faults.on("clock") && !maps.Equal(sums, s.billed) {
		m.violate("usage-exact", "%s was answered %v and billed %v", s, s.billed, sums)
	}
}
