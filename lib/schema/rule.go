package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// rule is a compiled schema: the keywords of JSON Schema 2020-12 that the
// embedded files use. Compiling refuses any other, so that none is ignored in
// silence. A number in a rule is negative where the keyword is absent.
//
// The engine is our own because the libraries cost too much here: compiling
// the metaschemas when a program starts takes longer than most of our programs
// run, and what they report comes in another order each time. Tests compare
// it with one of them. Rule: docs/documents.md, "The schema files".
type rule struct {
	location string
	title    string

	never bool
	types typeSet
	// values is what enum or const allow; alone says that it was const.
	values []any
	alone  bool

	ref          *rule
	allOf, anyOf []*rule
	when         *rule
	then, els    *rule

	required      []string
	properties    map[string]*rule
	patterns      []patternRule
	extra         *rule
	closed, free  bool
	maxProperties int

	minItems, maxItems       int
	unique                   bool
	items                    *rule
	prefix                   []*rule
	contains                 *rule
	minContains, maxContains int

	minLength int
	pattern   *regexp.Regexp

	minimum, maximum *int64
}

// patternRule is what holds for the keys that match a pattern.
type patternRule struct {
	pattern *regexp.Regexp
	rule    *rule
}

// typeSet is a set of JSON types.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject
)

// typeName is a type as schemas call it, and as messages do.
type typeName struct {
	set        typeSet
	name, text string
}

var typeNames = []typeName{
	{typeArray, "array", "a list"},
	{typeBoolean, "boolean", "true or false"},
	{typeInteger, "integer", "a whole number"},
	{typeNumber, "number", "a number"},
	{typeObject, "object", "an object"},
	{typeString, "string", "a text"},
	{typeNull, "null", "null"},
}

// rule compiles the schema at a location, once. The lock is held.
func (l *library) rule(location string) (*rule, error) {
	if r, ok := l.rules[location]; ok {
		return r, nil
	}
	schema, err := l.lookup(location)
	if err != nil {
		return nil, err
	}
	r := &rule{location: location, maxProperties: -1, minItems: -1, maxItems: -1, minContains: -1, maxContains: -1, minLength: -1}
	l.rules[location] = r
	switch schema := schema.(type) {
	case bool:
		r.never = !schema
	case map[string]any:
		for _, keyword := range sortedKeys(schema) {
			if err := l.keyword(r, keyword, schema[keyword]); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", location, keyword, err)
			}
		}
	default:
		return nil, fmt.Errorf("%s: %s is no schema", location, describeValue(schema))
	}
	return r, nil
}

// keyword compiles one keyword of a schema into its rule.
func (l *library) keyword(r *rule, name string, v any) error {
	switch name {
	case "$schema", "$id", "$defs", "description":
		return nil
	case "title":
		return into(&r.title, v)
	case "type":
		return r.setTypes(v)
	case "enum", "const":
		return r.setValues(name, v)
	case "$ref":
		return l.reference(r, v)
	case "allOf":
		return l.list(&r.allOf, r, name, v)
	case "anyOf":
		return l.list(&r.anyOf, r, name, v)
	case "if":
		return l.sub(&r.when, r, name)
	case "then":
		return l.sub(&r.then, r, name)
	case "else":
		return l.sub(&r.els, r, name)
	case "required", "properties", "patternProperties", "additionalProperties", "maxProperties":
		return l.objectKeyword(r, name, v)
	case "minItems", "maxItems", "uniqueItems", "items", "prefixItems", "contains", "minContains", "maxContains":
		return l.arrayKeyword(r, name, v)
	case "minLength":
		return count(&r.minLength, v)
	case "pattern":
		text, _ := v.(string)
		return l.regexp(&r.pattern, text)
	case "minimum":
		return bound(&r.minimum, v)
	case "maximum":
		return bound(&r.maximum, v)
	}
	return errors.New("not supported")
}

func (l *library) objectKeyword(r *rule, name string, v any) error {
	switch name {
	case "required":
		return texts(&r.required, v)
	case "maxProperties":
		return count(&r.maxProperties, v)
	case "additionalProperties":
		welcome, isBool := v.(bool)
		r.free, r.closed = isBool && welcome, isBool && !welcome
		if isBool {
			return nil
		}
		return l.sub(&r.extra, r, name)
	}
	members, ok := v.(map[string]any)
	if !ok {
		return errWrongType
	}
	for _, key := range sortedKeys(members) {
		sub, err := l.rule(r.location + "/" + name + "/" + escape(key))
		if err != nil {
			return err
		}
		if name == "properties" {
			if r.properties == nil {
				r.properties = map[string]*rule{}
			}
			r.properties[key] = sub
			continue
		}
		p := patternRule{rule: sub}
		if err := l.regexp(&p.pattern, key); err != nil {
			return err
		}
		r.patterns = append(r.patterns, p)
	}
	return nil
}

func (l *library) arrayKeyword(r *rule, name string, v any) error {
	switch name {
	case "minItems":
		return count(&r.minItems, v)
	case "maxItems":
		return count(&r.maxItems, v)
	case "minContains":
		return count(&r.minContains, v)
	case "maxContains":
		return count(&r.maxContains, v)
	case "uniqueItems":
		return into(&r.unique, v)
	case "items":
		return l.sub(&r.items, r, name)
	case "contains":
		return l.sub(&r.contains, r, name)
	default: // prefixItems
		return l.list(&r.prefix, r, name, v)
	}
}

var errWrongType = errors.New("value of the wrong type")

// sub compiles the schema under a keyword.
func (l *library) sub(to **rule, r *rule, name string) (err error) {
	*to, err = l.rule(r.location + "/" + name)
	return err
}

// list compiles the schemas of a keyword that takes a list.
func (l *library) list(to *[]*rule, r *rule, name string, v any) error {
	list, ok := v.([]any)
	if !ok {
		return errWrongType
	}
	for i := range list {
		sub, err := l.rule(r.location + "/" + name + "/" + itoa(i))
		if err != nil {
			return err
		}
		*to = append(*to, sub)
	}
	return nil
}

func (l *library) reference(r *rule, v any) (err error) {
	ref, ok := v.(string)
	if !ok {
		return errWrongType
	}
	r.ref, err = l.rule(resolve(ref, r.location))
	return err
}

func (l *library) regexp(to **regexp.Regexp, text string) (err error) {
	if re, ok := l.patterns[text]; ok {
		*to = re
		return nil
	}
	if *to, err = regexp.Compile(text); err == nil {
		l.patterns[text] = *to
	}
	return err
}

func (r *rule) setTypes(v any) error {
	names, ok := v.([]any)
	if !ok {
		names = []any{v}
	}
	for _, name := range names {
		i := slices.IndexFunc(typeNames, func(t typeName) bool { return t.name == name })
		if i < 0 {
			return fmt.Errorf("%s is no type", describeValue(name))
		}
		r.types |= typeNames[i].set
	}
	return nil
}

// setValues takes the values of enum and const. Numbers are refused: equal
// ones can be written in many ways.
func (r *rule) setValues(name string, v any) error {
	r.values, r.alone = []any{v}, true
	if name == "enum" {
		list, ok := v.([]any)
		if !ok {
			return errWrongType
		}
		r.values, r.alone = list, false
	}
	if slices.ContainsFunc(r.values, func(v any) bool { _, number := v.(json.Number); return number }) {
		return errWrongType
	}
	return nil
}

func into[T any](to *T, v any) error {
	t, ok := v.(T)
	if !ok {
		return errWrongType
	}
	*to = t
	return nil
}

func texts(to *[]string, v any) error {
	list, ok := v.([]any)
	if !ok {
		return errWrongType
	}
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return errWrongType
		}
		*to = append(*to, text)
	}
	return nil
}

func count(to *int, v any) error {
	number, _ := v.(json.Number)
	n, err := strconv.Atoi(string(number))
	if err != nil || n < 0 {
		return errWrongType
	}
	*to = n
	return nil
}

func bound(to **int64, v any) error {
	number, _ := v.(json.Number)
	n, err := strconv.ParseInt(string(number), 10, 64)
	*to = &n
	return err
}
