package stream

import (
	"strings"

	"github.com/tidwall/gjson"
)

// object is one event. Its fields are found once, in one pass over it, because
// an event is asked for some thirty of them and has few: to look for each in
// the text takes many times as long.
type object struct {
	whole  gjson.Result
	fields []field
	many   bool // more fields than are kept: then they are looked for in the text
}

type field struct {
	key   string
	value gjson.Result
}

// mostFields bounds the memory that the fields of one event take.
const mostFields = 64

// read takes a valid JSON object. The text is copied: what is found in it
// outlives the buffer that it stands in.
func (o *object) read(raw []byte) {
	o.whole = gjson.ParseBytes(raw)
	o.fields, o.many = o.fields[:0], false
	o.whole.ForEach(func(key, value gjson.Result) bool {
		o.many = len(o.fields) == mostFields
		if !o.many {
			o.fields = append(o.fields, field{key.Str, value})
		}
		return !o.many
	})
}

// get is the value at a path of names joined by dots, the zero value when there
// is none. Of several fields of one name the first counts that has the value.
func (o *object) get(path string) gjson.Result {
	if o.many {
		return o.whole.Get(path)
	}
	name, rest, nested := strings.Cut(path, ".")
	for i := range o.fields {
		f := &o.fields[i]
		if f.key != name {
			continue
		}
		if !nested {
			return f.value
		}
		if f.value.Type == gjson.JSON {
			if value := f.value.Get(rest); value.Exists() {
				return value
			}
		}
	}
	return gjson.Result{}
}

// at is the value at a JSON pointer; the zero value when there is none. Keys
// are looked up one by one, so a name with a dot in it is just a name.
func (o *object) at(pointer string) gjson.Result {
	if pointer == "" {
		return gjson.Result{}
	}
	value, first := o.whole, true
	for key := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if strings.Contains(key, "~") {
			key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
		}
		if first && !o.many && key != "" {
			value = o.field(key)
		} else {
			value = value.Get(gjson.Escape(key))
		}
		if first = false; !value.Exists() {
			return gjson.Result{}
		}
	}
	return value
}

// field is the first field of a name, whatever letters that has.
func (o *object) field(name string) gjson.Result {
	for i := range o.fields {
		if o.fields[i].key == name {
			return o.fields[i].value
		}
	}
	return gjson.Result{}
}
