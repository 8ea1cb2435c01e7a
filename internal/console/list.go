package console

import (
	"context"
	"fmt"
	"io"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/listdesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// listPages serves the lists of values of an environment.
type listPages struct{ lists *listdesk.Service }

func (p *listPages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/lists", handle: p.all, scope: tenant.Read},
		{pattern: "POST /console/{env}/lists/file", handle: p.upload, scope: tenant.PolicyWrite, upload: true},
		{pattern: "GET /console/{env}/lists/{name}", handle: p.one, scope: tenant.Read},
		{pattern: "POST /console/{env}/lists/{name}/lookup", handle: p.lookUp, scope: tenant.Read},
		{pattern: "POST /console/{env}/lists/{name}/add", handle: p.add, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/lists/{name}/remove", handle: p.removeEntry, scope: tenant.PolicyWrite},
		{pattern: "POST /console/{env}/lists/{name}/delete", handle: p.remove, scope: tenant.PolicyWrite},
	}
}

// all renders the page with all lists, and with the form that uploads a list.
func (p *listPages) all(v *visit) error {
	lists, err := p.lists.Lists(v.ctx, v.caller())
	if err != nil {
		return err
	}
	return v.render("lists", "Lists", struct {
		Lists []listdesk.List
		Types []option
	}{lists, []option{
		{Value: "", Label: "Keep the type; text for a new list"},
		{Value: string(list.Text), Label: "Text"},
		{Value: string(list.Number), Label: "Numbers"},
		{Value: string(list.Hashed), Label: "SHA-256 hashes"},
	}})
}

// uploadFields are the fields of the form before the file.
var uploadFields = []string{"name", "type", "confirm"}

// upload replaces a list by a CSV file while the file is uploaded.
func (p *listPages) upload(v *visit) error {
	var changed listdesk.Changed
	return v.receiveFile(uploadFields, p.all, func(ctx context.Context, file io.Reader) (err error) {
		upload := listdesk.Upload{Type: list.Type(v.form.Value("type")), CSV: file, Reserve: v.resources.Reserve}
		changed, err = p.replace(ctx, v, upload)
		return err
	}, func() error {
		return v.done(fmt.Sprintf("The list %s has %s now. This is version %d.", changed.Name,
			plural(int(changed.Entries), "entry", "entries"), changed.Version), "/lists")
	})
}

// receiveFile calls replace with a CSV file while the file is uploaded, and then calls done. fields are the fields of
// the form that precede the file. If the upload is refused, receiveFile renders page again.
func (v *visit) receiveFile(
	fields []string, page func(*visit) error, replace func(ctx context.Context, file io.Reader) error,
	done func() error,
) error {
	ctx, cancel := context.WithTimeout(v.r.Context(), maxUploadTime)
	defer cancel()
	body := newUpload(v, maxUploadTime)
	// Wait for a processor slot with the usual timeout of a request.
	var err error
	if v.ctx, err = v.resources.Compute(v.ctx); err != nil {
		return err
	}
	ctx = v.resources.Slot.Extend(ctx)
	file, err := body.fields(fields)
	if err == nil {
		err = v.confirmed()
	}
	if err == nil {
		err = replace(ctx, file)
	}
	if err != nil {
		body.drain()
	}
	body.StartAnswer()
	v.ctx = ctx // v.ctx may have expired during the upload
	if err != nil {
		return v.redraw(err, page)
	}
	return done()
}

// replace replaces a list. A new list for which no type was chosen gets the type text.
func (p *listPages) replace(ctx context.Context, v *visit, u listdesk.Upload) (listdesk.Changed, error) {
	name := v.form.Value("name")
	if u.Type == "" {
		_, err := p.lists.List(ctx, v.caller(), name)
		switch fault.KindOf(err) {
		case fault.NotFound:
			u.Type = list.Text
		default:
			if err != nil {
				return listdesk.Changed{}, err
			}
		}
	}
	changed, err := p.lists.Replace(ctx, v.caller(), name, u, operation.AnyVersion)
	return changed, inUploaded(err, "/type", "/name")
}

// inUploaded moves each fault to the form field that shows it. A fault inside one of fields moves to that field. Any
// other fault is in an entry or a row, and moves to the field of the file.
func inUploaded(err error, fields ...string) error {
	return fault.MapItems(err, func(item fault.Item) fault.Item {
		for _, field := range fields {
			if strings.HasPrefix(item.Pointer, field) {
				item.Pointer = field
				return item
			}
		}
		item.Detail, item.Pointer = item.Pointer+" "+item.Detail, "/file"
		return item
	})
}

func (p *listPages) remove(v *visit) error {
	return v.carryOut(func() error {
		return p.lists.Delete(v.ctx, v.caller(), v.id("name"), operation.AnyVersion)
	}, p.all, "The list was deleted.", "/lists")
}
