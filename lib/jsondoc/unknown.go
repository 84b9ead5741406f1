package jsondoc

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Unknown lists the members of the document that v, by its json tags, has no
// field for, as pointers in the order of the file. They are what Decode skips:
// a program that writes the document anew from v has to Add them to it again.
// Objects that are stored in maps, in empty interfaces or by a method of their
// own have no unknown members.
// Rule: docs/strict-reading.md, "Into Go values".
func (d Doc) Unknown(v any) []string {
	t := d.positions()
	if _, ok := t.find(""); !ok {
		return nil
	}
	w := unknown{table: t, fields: make(map[reflect.Type]map[string]reflect.Type)}
	w.walk(0, "", reflect.TypeOf(v))
	return w.found
}

type unknown struct {
	*table
	fields map[reflect.Type]map[string]reflect.Type
	found  []string
}

// walk looks into node n, which is stored in a value of type typ. The pointer
// in front of an element is written only where something below it needs one.
func (w *unknown) walk(n int32, pointer string, typ reflect.Type) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	v := w.nodes[n]
	kids := w.kids[v.kids : v.kids+v.n]
	switch begins := w.raw[v.start]; {
	case hasOwnForm(typ):
	case begins == '[' && (typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array):
		if scalar(typ.Elem()) {
			return
		}
		for i, kid := range kids {
			w.walk(kid, fmt.Sprintf("%s/%d", pointer, i), typ.Elem())
		}
	case begins == '{' && typ.Kind() == reflect.Map:
		for _, kid := range kids {
			w.walk(kid, pointer+Pointer(w.keyOf(kid)), typ.Elem())
		}
	case begins == '{' && typ.Kind() == reflect.Struct:
		known := w.known(typ)
		for _, kid := range kids {
			key := w.keyOf(kid)
			field, ok := known[key]
			switch {
			case !ok:
				w.found = append(w.found, pointer+Pointer(key))
			case !scalar(field):
				w.walk(kid, pointer+Pointer(key), field)
			}
		}
	}
}

// scalar says whether a type stores no object.
func scalar(t reflect.Type) bool {
	return t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Invalid || t.Kind() == reflect.String
}

// known are the fields of a struct by their keys.
func (w *unknown) known(typ reflect.Type) map[string]reflect.Type {
	if fields, ok := w.fields[typ]; ok {
		return fields
	}
	fields := make(map[string]reflect.Type)
	for _, f := range reflect.VisibleFields(typ) {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Tag.Get("json") == "-" || !f.IsExported() || f.Anonymous && key == "":
			continue
		case key == "":
			key = f.Name
		}
		fields[key] = f.Type
	}
	w.fields[typ] = fields
	return fields
}

// Member is a member of an object, by its pointer, and its value as JSON text.
type Member struct {
	Pointer string
	Value   []byte
}

// Add adds members at the end of their objects, each laid out like the one in
// front of it, in one pass over the document. A member of an object that is
// not there, or that has the key already, is left out.
func (d Doc) Add(members []Member) (Doc, error) {
	t := d.positions()
	type insertion struct {
		at   int
		text []byte
	}
	var list []insertion
	begun := make(map[int32]bool) // objects that were empty
	for _, m := range members {
		parent, key, ok := cutLast(m.Pointer)
		n, found := t.find(parent)
		if _, there := t.find(m.Pointer); !ok || !found || there || t.raw[t.nodes[n].start] != '{' {
			continue
		}
		text := t.entry(n, key, m.Value)
		if begun[n] {
			text = append([]byte{','}, text...)
		}
		begun[n] = t.nodes[n].n == 0
		list = append(list, insertion{t.insertAt(n), text})
	}
	slices.SortStableFunc(list, func(a, b insertion) int { return a.at - b.at })
	var out bytes.Buffer
	from := 0
	for _, in := range list {
		out.Write(d.Raw[from:in.at])
		out.Write(in.text)
		from = in.at
	}
	out.Write(d.Raw[from:])
	return Parse(d.Name, out.Bytes())
}
