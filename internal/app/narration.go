package app

import (
	"errors"

	"verdict/internal/agent"
	"verdict/internal/narrate"
	"verdict/internal/usecase"
)

// newAgents makes the agents. Nobody rewrites their memos unless an endpoint is
// configured for it.
func newAgents(service *usecase.Set, c Config) (*agent.Service, error) {
	if c.Narration.URL == "" {
		return agent.New(service.Decisions, service.Agents, agent.Options{}), nil // and not a narrator that holds nothing
	}
	client, err := narrate.New(c.Narration)
	if err != nil {
		return nil, err
	}
	return agent.New(service.Decisions, service.Agents, agent.Options{Narrator: client}), nil
}

// narrationURL reads where the endpoint is. The model is another knob's.
func narrationURL(c *Config, text string) error {
	c.Narration.URL = text
	if text == "" {
		return nil
	}
	_, err := narrate.New(narrate.Config{URL: text, Model: "any"})
	return err
}

// wrongNarration says what the knobs of the narration do to each other. A run
// must have time left to be stored when the endpoint never answers.
func (c *Config) wrongNarration() (wrong []error) {
	n := c.Narration
	switch {
	case n.URL == "" && n.Key != "":
		wrong = append(wrong, errors.New("-narration-key and -narration-url: a key needs an endpoint"))
	case n.URL == "":
		return nil
	case n.Model == "":
		wrong = append(wrong, errors.New("-narration-url and -narration-model: an endpoint needs a model"))
	}
	if n.Timeout > c.WriteTimeout/3 {
		wrong = append(wrong, errors.New("-narration-timeout and -write-timeout: the first must be at most a third of the second"))
	}
	return wrong
}
