package app

import (
	"errors"
	"log/slog"

	"verdict/internal/agent"
	"verdict/internal/narrate"
	"verdict/internal/usecase"
)

// newAgents returns the agents. A model rewords their memos only if an endpoint
// is configured.
func newAgents(service *usecase.Set, c Config, logger *slog.Logger) (*agent.Service, error) {
	if c.Narration.URL == "" {
		// Leave Narrator unset: a nil *narrate.Client in the interface would
		// not be nil.
		return agent.New(service.Decisions, service.Agents, agent.Options{Logger: logger}), nil
	}
	client, err := narrate.New(c.Narration)
	if err != nil {
		return nil, err
	}
	return agent.New(service.Decisions, service.Agents, agent.Options{Narrator: client, Logger: logger}), nil
}

// narrationURL sets and checks the URL of the endpoint. The model is a separate
// setting, so the check uses a placeholder.
func narrationURL(c *Config, text string) error {
	c.Narration.URL = text
	if text == "" {
		return nil
	}
	_, err := narrate.New(narrate.Config{URL: text, Model: "any"})
	return err
}

// wrongNarration returns the errors if narration settings contradict each
// other. The timeout is limited so that a run can still be stored if the
// endpoint never answers.
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
		wrong = append(wrong,
			errors.New("-narration-timeout must be at most a third of -write-timeout"))
	}
	return wrong
}
