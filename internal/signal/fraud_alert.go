package signal

import "slices"

// AlertWant is an alert that a request gives reason for. Whether one about the
// same entity is open already is for the caller to find out.
type AlertWant struct {
	Type        string
	Severity    Severity
	Entity      Entity
	Value       int64
	Threshold   int64
	WindowHours int64
}

// Alerts lists the alerts that the triggered signals give reason for: those
// that are grave enough, about entities that are not muted. A mute silences
// the desk alone; the facts, and so the rules, know nothing of it.
func (f Fraud) Alerts(cfg FraudConfig) []AlertWant {
	var wanted []AlertWant
	for _, s := range f.Signals {
		if !s.Triggered || s.Severity < cfg.AlertMinSeverity || slices.Contains(f.muted, s.Entity.Kind) {
			continue
		}
		wanted = append(wanted, AlertWant{
			Type: s.ID, Severity: s.Severity, Entity: s.Entity,
			Value: s.Value, Threshold: s.Threshold, WindowHours: s.WindowHours,
		})
	}
	return wanted
}
