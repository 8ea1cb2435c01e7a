package signal

import "slices"

// AlertWant describes an alert to raise because of a request. The caller checks
// whether an alert about the same entity is already open.
type AlertWant struct {
	Type        string
	Severity    Severity
	Entity      Entity
	Value       int64
	Threshold   int64
	WindowHours int64
}

// Alerts returns the alerts for the triggered signals that reach
// AlertMinSeverity and whose entities are not muted. Muting affects only
// alerts; facts and rules ignore it.
func (f Fraud) Alerts(cfg FraudConfig) []AlertWant {
	var wanted []AlertWant
	for _, s := range f.Signals {
		if !s.Triggered || s.Severity < cfg.AlertMinSeverity || slices.Contains(f.muted, s.Entity.Kind) {
			continue
		}
		wanted = append(wanted, AlertWant{
			Type:        s.ID,
			Severity:    s.Severity,
			Entity:      s.Entity,
			Value:       s.Value,
			Threshold:   s.Threshold,
			WindowHours: s.WindowHours,
		})
	}
	return wanted
}
