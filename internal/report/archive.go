package report

import (
	"encoding/binary"
	"errors"
	"math"

	"verdict/internal/civil"
)

// The first byte of an archive is its format version. Version 2 adds members that version 1 cannot hold. Archive
// writes version 2 only if a history has such members, so that all other archives are still encoded as version 1.
const (
	archiveVersion      = 1
	archiveVersionOwner = 2 // with owners, microfinance, and separate write-offs and settlements
)

// Archive encodes a history and a statement, either of which may be nil, in a compact form. It is stored so that the
// records behind a feature can still be identified years later. Texts such as narrations are not included.
func Archive(h *History, s *Statement) []byte {
	w := archiver{buf: make([]byte, 0, archiveSize(h, s))}
	version := byte(archiveVersion)
	if w.more = needsMore(h); w.more {
		version = archiveVersionOwner
	}
	w.buf = append(w.buf, version)
	w.flag(h != nil)
	if h != nil {
		w.history(h)
	}
	w.flag(s != nil)
	if s != nil {
		w.statement(s)
	}
	return w.buf
}

// archiveSize estimates the length of an archive, so that its buffer need not
// grow.
func archiveSize(h *History, s *Statement) int {
	const account, payment, enquiry, transaction = 64, 5, 12, 20
	n := 64
	if h != nil {
		n += (len(h.Accounts)+len(h.Microfinance))*account + len(h.Enquiries)*enquiry
		for i := range h.Accounts {
			n += len(h.Accounts[i].History) * payment
		}
	}
	if s != nil {
		n += len(s.Transactions) * transaction
	}
	return n
}

type archiver struct {
	buf  []byte
	more bool // write the members that only version 2 has
}

func (w *archiver) number(n int64) { w.buf = binary.AppendVarint(w.buf, n) }

func (w *archiver) flag(b bool) {
	n := int64(0)
	if b {
		n = 1
	}
	w.number(n)
}

func (w *archiver) history(h *History) {
	w.number(int64(h.Reported))
	w.flag(h.HasAccounts)
	w.flag(h.HasEnquiries)
	for _, n := range []int32{h.Last7, h.Last30, h.Last90, h.Last180} {
		w.number(int64(n))
	}
	w.number(int64(len(h.Accounts)))
	for i := range h.Accounts {
		w.account(&h.Accounts[i])
	}
	if w.more {
		w.number(int64(len(h.Microfinance)))
		for i := range h.Microfinance {
			w.account(&h.Microfinance[i])
		}
	}
	w.number(int64(len(h.Enquiries)))
	for _, e := range h.Enquiries {
		w.number(int64(e.Made))
		w.number(int64(e.Product))
		w.number(e.AmountPaise)
		w.number(int64(e.At))
	}
}

func (w *archiver) account(a *Account) {
	w.number(int64(a.Product))
	w.flag(a.Live)
	w.number(int64(a.Adverse))
	for _, d := range []civil.Day{a.Opened, a.Closed, a.Reported} {
		w.number(int64(d))
	}
	for _, paise := range []int64{a.SanctionedPaise, a.BalancePaise, a.OverduePaise, a.InstalmentPaise,
		a.AdversePaise} {
		w.number(paise)
	}
	w.number(int64(a.At))
	w.number(int64(len(a.History)))
	for _, p := range a.History {
		w.number(int64(p.Month))
		w.number(int64(p.DaysPastDue))
	}
	if w.more {
		w.moreOfAccount(a)
	}
}

func (w *archiver) statement(s *Statement) {
	w.number(s.DeclaredIncomePaise)
	w.number(s.DeclaredInstalmentPaise)
	w.number(int64(s.Breaks))
	w.number(int64(len(s.Transactions)))
	before, buf := civil.Day(0), w.buf
	for i := range s.Transactions {
		t := &s.Transactions[i]
		buf = binary.AppendVarint(buf, int64(t.Day-before))
		before = t.Day
		credit := int64(0)
		if t.Credit {
			credit = 1
		}
		buf = binary.AppendVarint(buf, credit)
		buf = binary.AppendVarint(buf, int64(t.Channel))
		buf = binary.AppendVarint(buf, int64(t.Found))
		buf = binary.AppendVarint(buf, t.AmountPaise)
		buf = binary.AppendVarint(buf, t.BalancePaise)
		buf = binary.AppendVarint(buf, int64(t.At))
	}
	w.buf = buf
}

// ErrArchive is returned for bytes that Archive did not write.
var ErrArchive = errors.New("the archived history cannot be read")

// ReadArchive decodes the output of Archive. It returns ErrArchive for other
// bytes.
func ReadArchive(data []byte) (h *History, s *Statement, err error) {
	if len(data) == 0 || data[0] != archiveVersion && data[0] != archiveVersionOwner {
		return nil, nil, ErrArchive
	}
	r := unarchiver{buf: data[1:], more: data[0] == archiveVersionOwner}
	if r.flag() {
		h = r.history()
	}
	if r.flag() {
		s = r.statement()
	}
	if r.broken || len(r.buf) > 0 {
		return nil, nil, ErrArchive
	}
	return h, s, nil
}

// unarchiver decodes numbers. After the first invalid number it sets broken and
// returns zeros.
type unarchiver struct {
	buf    []byte
	broken bool
	more   bool // the archive has version 2
}

func (r *unarchiver) number() int64 {
	n, used := binary.Varint(r.buf)
	if r.broken || used <= 0 {
		r.broken = true
		return 0
	}
	r.buf = r.buf[used:]
	return n
}

// within decodes a number as a T, and sets broken if the number does not fit.
func within[T ~int32 | ~int16 | ~uint8 | ~uint32](r *unarchiver) T {
	n := r.number()
	t := T(n)
	if int64(t) != n {
		r.broken = true
	}
	return t
}

func (r *unarchiver) flag() bool {
	n := r.number()
	if n != 0 && n != 1 {
		r.broken = true
	}
	return n == 1
}

// count decodes the number of records that follow. Each record takes several bytes, so a count larger than the
// number of remaining bytes is invalid. This check bounds the memory that is allocated for the records.
func (r *unarchiver) count() int {
	n := r.number()
	if n < 0 || n > int64(len(r.buf)) || n > math.MaxInt32 {
		r.broken = true
		return 0
	}
	return int(n)
}

func (r *unarchiver) history() *History {
	h := &History{
		Reported:     within[civil.Day](r),
		HasAccounts:  r.flag(),
		HasEnquiries: r.flag(),
		Last7:        within[int32](r),
		Last30:       within[int32](r),
		Last90:       within[int32](r),
		Last180:      within[int32](r),
	}
	if n := r.count(); n > 0 {
		h.Accounts = make([]Account, n)
		for i := range h.Accounts {
			r.account(&h.Accounts[i])
		}
	}
	if r.more {
		if n := r.count(); n > 0 {
			h.Microfinance = make([]Account, n)
			for i := range h.Microfinance {
				r.account(&h.Microfinance[i])
			}
		}
	}
	if n := r.count(); n > 0 {
		h.Enquiries = make([]Enquiry, n)
		for i := range h.Enquiries {
			h.Enquiries[i] = Enquiry{
				Made:        within[civil.Day](r),
				Product:     within[Product](r),
				AmountPaise: r.number(),
				At:          within[int32](r),
			}
		}
	}
	return h
}

func (r *unarchiver) account(a *Account) {
	a.Product, a.Live, a.Adverse = within[Product](r), r.flag(), within[Adverse](r)
	a.Opened, a.Closed, a.Reported = within[civil.Day](r), within[civil.Day](r), within[civil.Day](r)
	a.SanctionedPaise, a.BalancePaise, a.OverduePaise = r.number(), r.number(), r.number()
	a.InstalmentPaise, a.AdversePaise, a.At = r.number(), r.number(), within[int32](r)
	if n := r.count(); n > 0 {
		a.History = make([]Payment, n)
		for i := range a.History {
			a.History[i] = Payment{Month: within[civil.Month](r), DaysPastDue: within[int16](r)}
		}
	}
	a.ConvertedPaise, a.WrittenOffPaise, a.SettledPaise = NoAmount, NoAmount, NoAmount
	a.WrittenOffDay, a.SettledDay = civil.NoDay, civil.NoDay
	if r.more {
		r.moreOfAccount(a)
	}
}

func (r *unarchiver) statement() *Statement {
	s := &Statement{
		DeclaredIncomePaise:     r.number(),
		DeclaredInstalmentPaise: r.number(),
		DueInstalmentPaise:      NoAmount,
		Breaks:                  int(within[int32](r)),
	}
	n := r.count()
	if n == 0 {
		return s
	}
	s.Transactions = make([]Transaction, n)
	before := civil.Day(0)
	for i := range s.Transactions {
		t := &s.Transactions[i]
		t.Day = before + within[civil.Day](r)
		before = t.Day
		t.Credit, t.Channel, t.Found = r.flag(), within[Channel](r), within[Found](r)
		t.AmountPaise, t.BalancePaise, t.At = r.number(), r.number(), within[int32](r)
	}
	return s
}
