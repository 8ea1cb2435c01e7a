package httpapi

import (
	"net/http"
	"strings"

	"verdict/internal/document"
	"verdict/internal/evidencedesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// evidenceHandlers serve the log of decisions, proofs and capsules.
type evidenceHandlers struct{ evidence *evidencedesk.Service }

const binaryType = "application/octet-stream"

func (h *evidenceHandlers) routes() []route {
	const plain = "text/plain"
	return []route{
		{pattern: "GET /v1/decisions/{id}/proof", handle: h.proof, bucket: bucketRead, only: plain},
		{pattern: "GET /v1/decisions/{id}/capsule", handle: h.capsule, bucket: bucketRead},
		{pattern: "GET /v1/log/key", handle: h.key, bucket: bucketRead, only: plain},
		{pattern: "GET /v1/log/checkpoint", handle: h.checkpoint, bucket: bucketRead, only: plain},
		{pattern: "POST /v1/log/cosignatures", handle: h.cosign, bucket: bucketWrite, body: required, once: true},
		{pattern: "GET /v1/log/tile/{level}/{index}", handle: h.tile, bucket: bucketRead, only: binaryType, deep: true},
	}
}

func (h *evidenceHandlers) key(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	key, err := h.evidence.Key(c.ctx, c.caller)
	if err != nil {
		return err
	}
	return c.response.sendText(c.ctx, http.StatusOK, key)
}

func (h *evidenceHandlers) checkpoint(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	text, err := h.evidence.Checkpoint(c.ctx, c.caller)
	return sendPlain(c, text, err)
}

func (h *evidenceHandlers) tile(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	_, path, _ := strings.Cut(c.r.URL.Path, "/log/tile/") // use the decoded path, because its slashes may be escaped
	tile, err := h.evidence.Tile(c.ctx, c.caller, path)
	if err != nil {
		return err
	}
	c.response.header()["Content-Type"] = []string{binaryType}
	return c.response.send(c.ctx, http.StatusOK, tile)
}

func (h *evidenceHandlers) cosign(c *call) error {
	cosignature, err := readAs(c, tenant.LogRead, document.ReadCosignature)
	if err != nil {
		return err
	}
	reply := &operation.Reply[evidencedesk.Seen]{Idempotency: c.once, Encode: document.EncodeSeen}
	seen, err := h.evidence.Cosign(c.ctx, c.caller, cosignature, reply)
	return sendReply(c, reply, seen, err)
}

func (h *evidenceHandlers) proof(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	text, err := h.evidence.Proof(c.ctx, c.caller, c.id)
	return sendPlain(c, text, err)
}

func (h *evidenceHandlers) capsule(c *call) error {
	if err := c.query().err(); err != nil {
		return err
	}
	capsule, err := h.evidence.Capsule(c.ctx, c.caller, c.id)
	if err != nil {
		return err
	}
	return c.response.send(c.ctx, http.StatusOK, append(capsule.Append(nil), '\n'))
}

// sendPlain writes a text, or returns the operation's error.
func sendPlain(c *call, text []byte, err error) error {
	if err != nil {
		return err
	}
	c.response.header()["Content-Type"] = textType
	return c.response.send(c.ctx, http.StatusOK, text)
}
