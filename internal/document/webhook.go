package document

import (
	"slices"
	"strings"
	"time"

	"verdict/internal/eventdesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/webhookdesk"
	"verdict/internal/wire"
)

// EncodeEvent returns the body with which an event is sent to a webhook. The event has the same form as in the feed.
func EncodeEvent(e eventdesk.Event) []byte {
	return encode(func(w *wire.Writer) { writeEvent(w, &e) })
}

// EncodeTestEvent returns the body of a test event.
func EncodeTestEvent(e webhookdesk.TestEvent) []byte {
	return encode(func(w *wire.Writer) {
		w.Object().Key("id").String(e.ID).Key("sequence").Int(0).Key("type").String(webhookdesk.TypeTest)
		w.Key("timestamp").String(e.At).Key("data").Object().Key("webhook_id").String(e.WebhookID)
		w.EndObject().EndObject()
	})
}

// maxTypes limits the number of event types in a request. It is checked before the types are.
const maxTypes = 100

// maxSequence is the largest sequence number that a request may name.
const maxSequence = 1 << 53

// ReadWebhook reads a new webhook. The use case checks the settings.
func ReadWebhook(body wire.Value) (webhookdesk.NewWebhook, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	n := webhookdesk.NewWebhook{After: -1}
	f.Require("url", "the address to which events are sent")
	changeWebhook(&f, &n.Settings)
	if after, ok := f.Decimal("after_sequence", 0, 0, maxSequence); ok {
		n.After = after
	}
	f.Done()
	return n, faults.Err()
}

// ReadWebhookPatch reads a change of a webhook: members that are missing stay as they are.
func ReadWebhookPatch(body wire.Value) (func(webhookdesk.Settings) webhookdesk.Settings, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	var given webhookdesk.Settings
	changeWebhook(&f, &given)
	f.Done()
	if err := faults.Err(); err != nil {
		return nil, err
	}
	url, types := body.Get("url").Given(), body.Get("types").Given()
	description, state := body.Get("description").Given(), body.Get("state").Given()
	return func(s webhookdesk.Settings) webhookdesk.Settings {
		if url {
			s.URL = given.URL
		}
		if types {
			s.Types = given.Types
		}
		if description {
			s.Description = given.Description
		}
		if state {
			s.State = given.State
		}
		return s
	}, nil
}

// changeWebhook reads the settings that a request names.
func changeWebhook(f *wire.Form, s *webhookdesk.Settings) {
	s.URL, s.Description = text(f, "url"), text(f, "description")
	for _, kind := range f.Array("types", maxTypes).Elements() {
		if kind.Kind() != wire.String {
			f.Fail("types", fault.CodeWrongType, "must be an array of strings")
			break
		}
		s.Types = append(s.Types, strings.Clone(kind.Text()))
	}
	states := []string{webhookdesk.Enabled, webhookdesk.Paused}
	if at := f.Choice("state", -1, states...); at >= 0 {
		s.State = states[at]
	}
}

// ReadOverlap reads how long a replaced secret is still used. The body may be missing.
func ReadOverlap(body wire.Value) (time.Duration, error) {
	if !body.Given() {
		return webhookdesk.DefaultOverlap, nil
	}
	var faults fault.List
	f := wire.NewForm(body, &faults)
	overlap := webhookdesk.DefaultOverlap
	if hours, ok := f.Decimal("overlap_hours", 0, 0, int64(webhookdesk.MaxOverlap/time.Hour)); ok {
		overlap = time.Duration(hours) * time.Hour
	}
	f.Done()
	return overlap, faults.Err()
}

// ReadRedelivery reads which events to send again: one, or a range.
func ReadRedelivery(body wire.Value) (r webhookdesk.Redelivery, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	if one, ok := f.Decimal("sequence", 0, 1, maxSequence); ok {
		r = webhookdesk.Redelivery{From: one, To: one}
		for _, name := range []string{"from_sequence", "to_sequence"} {
			if f.Get(name).Given() {
				f.Fail(name, fault.CodeInvalidField, `contradicts "sequence"; send one of the two`)
			}
		}
	} else if !f.Get("sequence").Given() {
		f.Require("from_sequence", "the first event to send again; or send sequence for a single event")
		f.Require("to_sequence", "the last event to send again")
		r.From, _ = f.Decimal("from_sequence", 0, 1, maxSequence)
		r.To, _ = f.Decimal("to_sequence", 0, 1, maxSequence)
	}
	f.Known("from_sequence", "to_sequence")
	f.Done()
	return r, faults.Err()
}

// WriteWebhook writes a webhook.
func WriteWebhook(w *wire.Writer, h webhookdesk.Webhook) {
	w.Object()
	writeWebhookMembers(w, h)
	w.EndObject()
}

// WriteWebhooks writes all webhooks of an environment.
func WriteWebhooks(w *wire.Writer, hooks []webhookdesk.Webhook) {
	w.Object().Key("data").Array()
	for _, h := range hooks {
		WriteWebhook(w, h)
	}
	w.EndArray().EndObject()
}

// EncodeCreatedWebhook answers 201 with a new webhook, its secret and its address.
func EncodeCreatedWebhook(i webhookdesk.Issued) operation.Answer {
	return operation.Answer{
		Status:   operation.StatusCreated,
		Location: "/v1/webhooks/" + i.ID,
		Body:     encode(func(w *wire.Writer) { writeIssued(w, i) }),
	}
}

// EncodeIssued answers 200 with a webhook and its new secret.
func EncodeIssued(i webhookdesk.Issued) operation.Answer {
	return operation.Answer{Status: operation.StatusOK, Body: encode(func(w *wire.Writer) { writeIssued(w, i) })}
}

func writeIssued(w *wire.Writer, i webhookdesk.Issued) {
	w.Object()
	writeWebhookMembers(w, i.Webhook)
	w.Key("secret").String(i.Secret.Reveal()).EndObject()
}

// EncodeRedelivery answers 204.
func EncodeRedelivery(webhookdesk.Redelivery) operation.Answer {
	return operation.Answer{Status: operation.StatusNoContent}
}

// EncodeDelivery answers 200 with an attempt to deliver an event.
func EncodeDelivery(d webhookdesk.Delivery) operation.Answer {
	return operation.Answer{Status: operation.StatusOK, Body: encode(func(w *wire.Writer) { WriteDelivery(w, d) })}
}

func writeWebhookMembers(w *wire.Writer, h webhookdesk.Webhook) {
	types := h.Types
	if len(types) == 0 {
		types = eventdesk.Types()
	}
	w.Key("id").String(h.ID).Key("url").String(h.URL).Key("types")
	writeStrings(w, slices.Clone(types))
	w.Key("all_types").Bool(len(h.Types) == 0)
	optional(w, "description", h.Description)
	w.Key("state").String(h.State)
	optional(w, "reason", h.Reason)
	w.Key("last_sequence").Int(h.LastSequence).Key("retries").Int(h.Retries)
	optionalTime(w, "failing_since", h.FailingMicros)
	optionalTime(w, "next_attempt_at", h.NextMicros)
	optionalTime(w, "previous_secret_until", h.PreviousUntilMicros)
	w.Key("created_at").String(operation.Clock(h.CreatedMicros))
}

// WriteDelivery writes an attempt to deliver an event.
func WriteDelivery(w *wire.Writer, d webhookdesk.Delivery) {
	w.Object().Key("id").String(d.ID).Key("at").String(operation.Clock(operation.Micros(d.At)))
	w.Key("event_id").String(d.EventID).Key("sequence").Int(d.Sequence).Key("type").String(d.EventType)
	w.Key("attempt").Int(d.Attempt).Key("outcome").String(d.Outcome)
	if d.Status != 0 {
		w.Key("status").Int(d.Status)
	}
	optional(w, "problem", d.Problem)
	w.Key("duration_ms").Int(d.Took.Milliseconds()).EndObject()
}
