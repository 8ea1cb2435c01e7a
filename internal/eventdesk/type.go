package eventdesk

// Types returns the types of events, in the order of the documentation. A webhook can be
// limited to some of them.
func Types() []string { return []string{DecisionCreated} }

// Object returns the id of the object that the event is about. The events of one object
// are delivered in order.
func (e *Event) Object() string { return e.Decision.ID }
