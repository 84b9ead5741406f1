package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"okstra/lib/finding"
)

// checker holds a value against rules and collects what they refuse.
//
// Most documents are valid, and half of a schema are conditions whose answer
// is yes or no; so a checker that only probes stops at the first refusal and
// collects nothing. A document is explained only after a probe has failed.
type checker struct {
	probing  bool
	failed   bool
	at       []string // where the value stands, a stack
	problems []problem
	shape    *shape // of the document, to say what a missing key should hold
}

// fits says whether a value fits a rule.
func (r *rule) fits(v any) bool {
	c := checker{probing: true}
	c.check(r, v)
	return !c.failed
}

// refuse notes a problem of the value at hand. describe is not called by a
// probe.
func (c *checker) refuse(describe func() problem) {
	c.failed = true
	if c.probing {
		return
	}
	p := describe()
	p.code = CodeSchema
	p.tokens = append(slices.Clone(c.at), p.tokens...)
	c.problems = append(c.problems, p)
}

// value is the problem of a value that does not do.
func (r *rule) value(keyword string, rank int, v any) func() problem {
	return func() problem {
		return problem{keyword: keyword, rank: rank, message: describeValue(v), found: plain(v), expected: r.words()}
	}
}

// under checks a value that stands under a key or an index.
func (c *checker) under(token string, r *rule, v any) {
	c.at = append(c.at, token)
	c.check(r, v)
	c.at = c.at[:len(c.at)-1]
}

// check holds v against every keyword of r. A value of the wrong type is told
// once, not by what else follows from it.
func (c *checker) check(r *rule, v any) {
	if c.probing && c.failed {
		return
	}
	if r.never {
		c.refuse(func() problem {
			return problem{keyword: "false", rank: rankValue, message: describeValue(v), found: plain(v), expected: "no such key here"}
		})
		return
	}
	if number, ok := v.(json.Number); ok && !finite(number) && (r.types != 0 || r.minimum != nil) {
		c.refuse(func() problem {
			return problem{keyword: "number", rank: rankType, message: describeValue(v), found: plain(v), expected: "a number that fits 64-bit floating point"}
		})
		return
	}
	if r.types != 0 && r.types&typesOf(v) == 0 {
		c.refuse(r.value("type", rankType, v))
		return
	}
	if r.values != nil && !slices.ContainsFunc(r.values, func(want any) bool { return same(want, v) }) {
		keyword := "enum"
		if r.alone {
			keyword = "const"
		}
		c.refuse(r.value(keyword, rankValue, v))
		return
	}
	switch v := v.(type) {
	case map[string]any:
		c.object(r, v)
	case []any:
		c.array(r, v)
	case string:
		if r.minLength >= 0 && utf8.RuneCountInString(v) < r.minLength {
			c.refuse(r.value("minLength", rankForm, v))
		}
		if r.pattern != nil && !r.pattern.MatchString(v) {
			c.refuse(r.value("pattern", rankForm, v))
		}
	case json.Number:
		if r.minimum != nil && compareNumber(v, *r.minimum) < 0 {
			c.refuse(r.value("minimum", rankForm, v))
		}
		if r.maximum != nil && compareNumber(v, *r.maximum) > 0 {
			c.refuse(r.value("maximum", rankForm, v))
		}
	}
	c.combined(r, v)
}

// combined checks what a rule takes from other rules for the same value.
func (c *checker) combined(r *rule, v any) {
	if r.ref != nil {
		c.check(r.ref, v)
	}
	for _, sub := range r.allOf {
		c.check(sub, v)
	}
	if len(r.anyOf) > 0 && !slices.ContainsFunc(r.anyOf, func(sub *rule) bool { return sub.fits(v) }) {
		c.pick(r, v)
	}
	if r.when == nil {
		return
	}
	branch := r.els
	if r.when.fits(v) {
		branch = r.then
	}
	if branch != nil {
		c.check(branch, v)
	}
}

func (c *checker) object(r *rule, v map[string]any) {
	for _, key := range r.required {
		if _, ok := v[key]; !ok {
			c.refuse(func() problem {
				return problem{
					keyword: "required", rank: rankValue, tokens: []string{key},
					message: "missing key " + finding.Quote(key), expected: c.shape.at(append(slices.Clone(c.at), key)).words(),
				}
			})
		}
	}
	if r.maxProperties >= 0 && len(v) > r.maxProperties {
		c.refuse(r.value("maxProperties", rankForm, v))
	}
	if r.properties == nil && r.patterns == nil && r.extra == nil && !r.closed {
		return
	}
	for key, within := range v {
		c.member(r, key, within)
	}
}

// member checks one key of an object and what stands under it.
func (c *checker) member(r *rule, key string, v any) {
	named := false
	if sub, ok := r.properties[key]; ok {
		named = true
		c.under(key, sub, v)
	}
	for _, p := range r.patterns {
		if p.pattern.MatchString(key) {
			named = true
			c.under(key, p.rule, v)
		}
	}
	switch {
	case named:
	case r.extra != nil:
		c.under(key, r.extra, v)
	case r.closed:
		c.refuse(func() problem {
			expected := "only " + strings.Join(sortedKeys(r.properties), ", ")
			if r.patterns != nil {
				expected = r.words()
			}
			return problem{
				keyword: "additionalProperties", rank: rankValue, tokens: []string{key},
				message: "unknown key " + finding.Quote(key), found: finding.Shorten(key), expected: expected,
			}
		})
	}
}

func (c *checker) array(r *rule, v []any) {
	if r.minItems >= 0 && len(v) < r.minItems {
		c.refuse(r.value("minItems", rankForm, v))
	}
	if r.maxItems >= 0 && len(v) > r.maxItems {
		c.refuse(r.value("maxItems", rankForm, v))
	}
	if r.prefix != nil || r.items != nil {
		for i, item := range v {
			switch {
			case c.probing && c.failed:
				return
			case i < len(r.prefix):
				c.under(itoa(i), r.prefix[i], item)
			case r.items != nil:
				c.under(itoa(i), r.items, item)
			}
		}
	}
	if r.unique {
		c.repeated(r, v)
	}
	if r.contains != nil {
		c.contained(r, v)
	}
}

// repeated tells the first item that stands in a list for the second time.
func (c *checker) repeated(r *rule, v []any) {
	if len(v) < 2 {
		return
	}
	seen := make(map[string]int, len(v))
	for i, item := range v {
		key := identity(item)
		first, again := seen[key]
		if !again {
			seen[key] = i
			continue
		}
		c.refuse(func() problem {
			return problem{
				keyword: "uniqueItems", rank: rankForm, tokens: []string{itoa(i)},
				message: fmt.Sprintf("items %d and %d are equal", first, i), found: plain(item), expected: r.words(),
			}
		})
		return
	}
}

func (c *checker) contained(r *rule, v []any) {
	n := 0
	for _, item := range v {
		if r.contains.fits(item) {
			n++
		}
	}
	least := 1
	if r.minContains >= 0 {
		least = r.minContains
	}
	if n < least || r.maxContains >= 0 && n > r.maxContains {
		c.refuse(r.value("contains", rankForm, v))
	}
}

// pick explains a value that fits none of several alternatives. Each branch
// complains about not being another branch, so one is picked, the one that the
// value was meant for:
//
//	value {"a": 1, "b": "x"} against  null  or  {"a": int, "b": int}
//
//	  null      complains about the value itself   → never meant
//	  object    complains about /b only            → told
//
// If every branch complains about the value itself, the place is told once,
// with what the alternatives have in common: their title.
func (c *checker) pick(r *rule, v any) {
	c.failed = true
	if c.probing {
		return
	}
	var best []problem
	for _, sub := range r.anyOf {
		branch := checker{at: c.at, shape: c.shape}
		branch.check(sub, v)
		if meant(branch.problems, len(c.at)) && (best == nil || deeper(branch.problems, best)) {
			best = branch.problems
		}
	}
	if best == nil {
		c.refuse(r.value("anyOf", rankType, v))
		return
	}
	c.problems = append(c.problems, best...)
}

// meant says whether a branch is one that the value may have been written
// for: it does not refuse the value itself, nor the constant that tells
// branches apart.
func meant(branch []problem, depth int) bool {
	return !slices.ContainsFunc(branch, func(p problem) bool {
		return len(p.tokens) <= depth && p.rank <= rankValue || len(p.tokens) == depth+1 && p.keyword == "const"
	})
}

// deeper prefers the branch whose complaints lie deeper, then the one with
// fewer of them.
func deeper(a, b []problem) bool {
	if da, db := depth(a), depth(b); da != db {
		return da > db
	}
	return len(a) < len(b)
}

func depth(branch []problem) int {
	deepest := 0
	for _, p := range branch {
		deepest = max(deepest, len(p.tokens))
	}
	return deepest
}

// typesOf is the set of types that a value is of: an integer is a number too.
func typesOf(v any) typeSet {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case string:
		return typeString
	case []any:
		return typeArray
	case map[string]any:
		return typeObject
	case json.Number:
		if integral(v) {
			return typeInteger | typeNumber
		}
		return typeNumber
	}
	return 0
}

// same compares with a value of a schema, which is never a number.
func same(want, v any) bool {
	switch want := want.(type) {
	case string:
		s, ok := v.(string)
		return ok && s == want
	case bool, nil:
		return want == v
	}
	return reflect.DeepEqual(want, v)
}

// identity is a text that two values share exactly when they are equal.
func identity(v any) string {
	switch v := v.(type) {
	case string:
		return `"` + v
	case json.Number:
		if f, err := v.Float64(); err == nil && (len(v) > 15 || !integral(v)) {
			return strconv.FormatFloat(f, 'g', -1, 64)
		}
		return string(v)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// Numbers are never computed with exactly: one of a million digits, spelled
// out or by exponent, would keep exact arithmetic busy for minutes.

func finite(n json.Number) bool {
	if len(n) < 300 && !strings.ContainsAny(string(n), "eE") {
		return true
	}
	f, err := n.Float64()
	return err == nil && !math.IsInf(f, 0)
}

// integral says whether a number has no fraction, as in 7, 7.0 and 7e1.
func integral(n json.Number) bool {
	i := strings.IndexAny(string(n), "eE")
	if i < 0 {
		_, fraction, _ := strings.Cut(string(n), ".")
		return strings.Trim(fraction, "0") == ""
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) {
		return false
	}
	return f != 0 || strings.Trim(string(n)[:i], "-0.") == ""
}

// compareNumber compares a finite number with a bound.
func compareNumber(n json.Number, bound int64) int {
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		switch {
		case i < bound:
			return -1
		case i > bound:
			return 1
		}
		return 0
	}
	f, _ := n.Float64()
	switch b := float64(bound); {
	case f < b:
		return -1
	case f > b:
		return 1
	}
	return 0
}
