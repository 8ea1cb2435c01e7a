package httpapi

import (
	"html/template"
	"net/http"
	"net/netip"
	"strings"
)

// What another handler on the same listener needs to know as the API knows it:
// adapters do not import each other, so whoever composes them hands it on.

// Address is where a request comes from, as far as can be trusted.
func (a *API) Address(r *http.Request) string {
	return a.address(r.RemoteAddr, r.Header["X-Forwarded-For"])
}

// Secure reports whether a request came encrypted: to us, or to a proxy whose
// word is taken.
func (a *API) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	if !strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		return false
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && a.trusts(peer.Addr())
}

// Reference is the documentation without the frame of its page.
func (a *API) Reference() (template.HTML, error) {
	piece, err := a.pages.piece()
	return template.HTML(piece.body), err // made by a template of ours, which escaped what is in it
}
