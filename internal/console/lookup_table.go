package console

import (
	"context"
	"fmt"
	"io"

	"verdict/internal/operation"
	"verdict/internal/table"
	"verdict/internal/tabledesk"
	"verdict/internal/tenant"
)

// tablePages serves the lookup tables of an environment.
type tablePages struct{ tables *tabledesk.Service }

func (p *tablePages) routes() []page {
	return []page{
		{pattern: "GET /console/{env}/tables", handle: p.all, scope: tenant.Read},
		{pattern: "POST /console/{env}/tables/file", handle: p.upload, scope: tenant.PolicyWrite, upload: true},
		{pattern: "GET /console/{env}/tables/{name}", handle: p.one, scope: tenant.Read},
		{pattern: "POST /console/{env}/tables/{name}/lookup", handle: p.lookUp, scope: tenant.Read},
		{pattern: "POST /console/{env}/tables/{name}/delete", handle: p.remove, scope: tenant.PolicyWrite},
	}
}

// tableLine is a table as the page shows it.
type tableLine struct {
	tabledesk.Table
	Name    string
	Keys    []string
	Columns []string
}

// all renders the page with all tables, and with the form that uploads a table.
func (p *tablePages) all(v *visit) error {
	tables, err := p.tables.Tables(v.ctx, v.caller())
	if err != nil {
		return err
	}
	lines := make([]tableLine, len(tables))
	for i, t := range tables {
		lines[i] = tableLineOf(t)
	}
	return v.render("tables", "Tables", struct{ Tables []tableLine }{lines})
}

// tableLineOf returns a table with the texts that the pages show.
func tableLineOf(t tabledesk.Table) tableLine {
	line := tableLine{Table: t, Name: t.Definition.Name}
	for _, k := range t.Definition.Keys {
		line.Keys = append(line.Keys, k.Field.Name+" ("+table.MatchName(k)+")")
	}
	for _, c := range t.Definition.Columns {
		line.Columns = append(line.Columns, c.Fact+" ("+table.TypeName(c.Type)+")")
	}
	return line
}

// tableFields are the fields of the form before the file.
var tableFields = []string{"name", "keys", "columns", "confirm"}

// upload replaces a table by a CSV file while the file is uploaded.
func (p *tablePages) upload(v *visit) error {
	var changed tabledesk.Changed
	return v.receiveFile(tableFields, p.all, func(ctx context.Context, file io.Reader) (err error) {
		upload := tabledesk.Upload{CSV: file, Reserve: v.resources.Reserve}
		name, keys, columns := v.form.Value("name"), v.form.Value("keys"), v.form.Value("columns")
		if keys != "" || columns != "" {
			upload.Definition, err = tabledesk.ParseDefinition(name, keys, columns)
		}
		if err == nil {
			changed, err = p.tables.Replace(ctx, v.caller(), name, upload, operation.AnyVersion)
		}
		return inUploaded(err, "/name", "/keys", "/columns")
	}, func() error {
		return v.done(fmt.Sprintf("The table %s has %d rows. This is version %d.", changed.Definition.Name,
			changed.Rows, changed.Version), "/tables")
	})
}

func (p *tablePages) remove(v *visit) error {
	return v.carryOut(func() error {
		return p.tables.Delete(v.ctx, v.caller(), v.id("name"), operation.AnyVersion)
	}, p.all, "The table was deleted.", "/tables")
}
