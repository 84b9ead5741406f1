package price

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Tokens are the five disjoint buckets that are paid for.
type Tokens struct {
	Input, CacheRead, CacheWrite5m, CacheWrite1h, Output int64
}

func (t Tokens) prompt() *big.Int {
	sum := new(big.Int)
	for _, n := range [...]int64{t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h} {
		sum.Add(sum, big.NewInt(n))
	}
	return sum
}

func (t Tokens) isZero() bool { return t == Tokens{} }

// Use is one priced thing: the tokens of a request, or of several sent as one.
type Use struct {
	Model     string
	Anthropic bool // without a row, the ratios of Anthropic's prices hold
	Fast      bool
	Calls     int64 // requests behind the tokens, at least 1; the tier goes by their average
	Tokens
}

// Bill adds up uses. The zero value is not ready; see NewBill.
type Bill struct {
	table     *Table
	classes   map[class]*sums
	matches   map[string]Match
	unmatched map[string]bool
	uncertain map[string]bool
	complete  bool
}

// class is what uses with one set of rates have in common.
type class struct {
	row       *Row
	anthropic bool
	tier      bool
	fast      bool
}

// sums are exact however many uses there are.
type sums [5]big.Int

func (s *sums) add(t Tokens) {
	for i, n := range [...]int64{t.Input, t.CacheRead, t.CacheWrite5m, t.CacheWrite1h, t.Output} {
		s[i].Add(&s[i], big.NewInt(n))
	}
}

// NewBill returns an empty bill at the table's prices.
func NewBill(t *Table) *Bill {
	return &Bill{
		table: t, complete: true, classes: make(map[class]*sums), matches: make(map[string]Match),
		unmatched: make(map[string]bool), uncertain: make(map[string]bool),
	}
}

// Add puts one use on the bill.
func (b *Bill) Add(u Use) {
	if u.isZero() {
		return
	}
	m, ok := b.matches[u.Model]
	if !ok {
		m = b.table.Lookup(u.Model)
		b.matches[u.Model] = m
	}
	c := class{anthropic: u.Anthropic}
	if m.Priced() {
		c.row = m.Row
		c.fast = u.Fast && m.Row.Fast != nil
		c.tier = m.Row.Tier != nil && m.Row.Tier.takes(u)
		if m.Row.usesUncertain(u, c.tier) {
			b.uncertain[m.Row.Model] = true
		}
	} else {
		b.complete = false
		if name := strings.TrimSpace(u.Model); name != "" && name != "<synthetic>" {
			b.unmatched[u.Model] = true
		}
	}
	s := b.classes[c]
	if s == nil {
		s = new(sums)
		b.classes[c] = s
	}
	s.add(u.Tokens)
}

// against compares the average prompt with a length: 1 when it is longer, 0 when it
// is as long.
func (u Use) against(limit int64) int {
	all := new(big.Int).Mul(big.NewInt(limit), big.NewInt(max(1, u.Calls)))
	return u.prompt().Cmp(all)
}

// takes reports whether the average prompt of a use is long enough for the tier.
func (t *Tier) takes(u Use) bool {
	if t.Reached {
		return u.against(t.Limit) >= 0
	}
	return u.against(t.Limit) > 0
}

// usesUncertain reports whether a rate that the use needs is uncertain.
func (r *Row) usesUncertain(u Use, tier bool) bool {
	if len(r.Uncertain) == 0 {
		return false
	}
	prefix := ""
	if tier {
		prefix = "tier_"
	}
	return u.Input > 0 && r.IsUncertain(prefix+"input") || u.CacheRead > 0 && r.IsUncertain(prefix+"cached") ||
		u.Output > 0 && r.IsUncertain(prefix+"output") ||
		u.CacheWrite5m > 0 && (r.IsUncertain("write5m") || r.IsUncertain(prefix+"input")) ||
		u.CacheWrite1h > 0 && (r.IsUncertain("write1h") || r.IsUncertain(prefix+"input")) ||
		u.Fast && r.IsUncertain("fast") ||
		r.FlatAbove > 0 && u.against(r.FlatAbove) > 0
}

// USD is money in nano-dollars.
type USD int64

// Cost is what could be priced, rounded half up to a nano-dollar, and whether
// that is everything. It is nil when nothing could be priced but something was
// used; an empty bill costs 0. An amount beyond all amounts stops at the largest one
// and is not everything.
func (b *Bill) Cost() (cost *USD, complete bool) {
	sum, priced := new(big.Rat), len(b.classes) == 0
	for c, s := range b.classes {
		if c.row == nil {
			continue
		}
		priced = true
		rates := *c.row.Base
		if c.tier {
			rates = c.row.Tier.Rates
		}
		part := s.times(rates)
		if c.fast {
			part.Mul(part, c.row.Fast)
		}
		sum.Add(sum, part)
	}
	if !priced {
		return nil, false
	}
	// Rates are per million tokens and a dollar has 10^9 nano-dollars.
	nano := halfUp(sum.Mul(sum, big.NewRat(1000, 1)))
	usd := USD(clamp(nano))
	return &usd, b.complete && nano.IsInt64()
}

// times is Σ tokens × rate.
func (s *sums) times(r Rates) *big.Rat {
	sum, part := new(big.Rat), new(big.Rat)
	for i, rate := range [...]Rate{r.Input, r.Cached, r.Write5m, r.Write1h, r.Output} {
		if s[i].Sign() == 0 {
			continue
		}
		sum.Add(sum, part.Mul(rate, new(big.Rat).SetInt(&s[i])))
	}
	return sum
}

var (
	one         = big.NewRat(1, 1)
	anthropic   = Rates{Input: one, Cached: big.NewRat(1, 10), Write5m: big.NewRat(5, 4), Write1h: big.NewRat(2, 1), Output: big.NewRat(5, 1)}
	unknownRate = Rates{Input: one, Cached: big.NewRat(1, 10), Write5m: one, Write1h: one, Output: big.NewRat(5, 1)}
)

// ratios are the buckets' prices in units of the input price.
func (c class) ratios() Rates {
	switch {
	case c.row == nil && c.anthropic:
		return anthropic
	case c.row == nil:
		return unknownRate
	}
	b := c.row.Base
	over := func(r Rate) Rate { return new(big.Rat).Quo(r, b.Input) }
	return Rates{Input: one, Cached: over(b.Cached), Write5m: over(b.Write5m), Write1h: over(b.Write1h), Output: over(b.Output)}
}

// BillableEquivalent is the bill in tokens of uncached input, rounded half up.
func (b *Bill) BillableEquivalent() int64 {
	sum := new(big.Rat)
	for c, s := range b.classes {
		sum.Add(sum, s.times(c.ratios()))
	}
	return clamp(halfUp(sum))
}

// Unmatched lists the names with tokens but without a price, sorted.
func (b *Bill) Unmatched() []string { return sorted(b.unmatched) }

// UncertainRates lists the models of which an uncertain rate was used, sorted.
func (b *Bill) UncertainRates() []string { return sorted(b.uncertain) }

func sorted(set map[string]bool) []string {
	names := make([]string, 0, len(set))
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// halfUp rounds a non-negative number to the nearest integer, halves up.
func halfUp(r *big.Rat) *big.Int {
	twice := new(big.Int).Lsh(r.Num(), 1)
	twice.Add(twice, r.Denom())
	return twice.Quo(twice, new(big.Int).Lsh(r.Denom(), 1))
}

func clamp(n *big.Int) int64 {
	if !n.IsInt64() {
		return 1<<63 - 1
	}
	return n.Int64()
}

// Micros is the amount in millionths of a dollar, rounded half up: what is
// printed.
func (u USD) Micros() int64 {
	micros := int64(u) / 1000
	if int64(u)%1000 >= 500 {
		micros++
	}
	return micros
}

// MarshalJSON prints dollars with at most six decimals.
func (u USD) MarshalJSON() ([]byte, error) {
	micros := u.Micros()
	text := fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000)
	return []byte(strings.TrimSuffix(strings.TrimRight(text, "0"), ".")), nil
}

// UnmarshalJSON reads what MarshalJSON prints, and what another tool may write
// in exponent notation.
func (u *USD) UnmarshalJSON(raw []byte) error {
	v, err := decimal(string(raw))
	if err != nil {
		f, ferr := strconv.ParseFloat(string(raw), 64)
		if ferr != nil || f < 0 || f > 1e15 {
			return fmt.Errorf("%s is no amount of dollars", raw)
		}
		v = new(big.Rat).SetFloat64(f)
	}
	*u = USD(clamp(halfUp(v.Mul(v, big.NewRat(1_000_000_000, 1)))))
	return nil
}
