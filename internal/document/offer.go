package document

import (
	"verdict/internal/offer"
	"verdict/internal/offerdesk"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// ReadLenderProfile reads a complete lender profile.
func ReadLenderProfile(body wire.Value) (offer.Profile, error) { return offer.ReadProfile(body) }

// WriteLenderProfile writes a version of the lender profile.
func WriteLenderProfile(w *wire.Writer, p offerdesk.Profile) {
	w.Object().Key("version").Int(p.Version)
	p.WriteMembers(w)
	w.Key("updated_at").String(operation.Clock(p.UpdatedMicros)).Key("updated_by").String(p.UpdatedBy).EndObject()
}

// WriteKFS writes a key facts statement.
func WriteKFS(w *wire.Writer, k *offer.KFS) { k.Write(w) }

// WriteLetter writes a letter.
func WriteLetter(w *wire.Writer, x *offer.Letter) { x.Write(w) }
