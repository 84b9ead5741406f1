package dispatch

import (
	"okstra/lib/price"
	"okstra/lib/provider"
	"okstra/lib/run"
)

// cost is what a usage costs at list price, nil when that is not known. The
// price is the one of the catalogue row, so that a provider file of the user
// decides for its models.
func (t *task) cost(usage *run.Usage) *float64 {
	if usage == nil || t.prices == nil {
		return nil
	}
	if isFree(t.model) {
		return new(float64)
	}
	bill := price.NewBill(t.prices)
	bill.Add(price.Use{Model: t.model.ID, Anthropic: t.row.ID == "claude", Tokens: price.Tokens{
		Input: usage.Input, CacheRead: usage.CacheRead, CacheWrite5m: usage.CacheWrite5m, CacheWrite1h: usage.CacheWrite1h, Output: usage.Output,
	}})
	usd, complete := bill.Cost()
	if usd == nil || !complete {
		return nil
	}
	value := float64(*usd) / 1e9
	return &value
}

// Spent is what several attempts at a job cost together. Unknown tells that
// what some of them cost is not known, so that it is more.
type Spent struct {
	USD     float64
	Unknown bool
}

// add adds what an attempt cost, nil for one of which it is not known.
func (s *Spent) add(usd *float64) {
	if usd == nil {
		s.Unknown = true
		return
	}
	s.USD += *usd
}

// isFree tells whether the row of a model says that it costs nothing, as that of
// a recording does.
func isFree(m provider.Model) bool {
	return m.Pricing != nil && m.Pricing.Input().Sign() == 0 && m.Pricing.Cached().Sign() == 0 && m.Pricing.Output().Sign() == 0
}

// pricesOf is the price table with the model of a catalogue row, nil for a
// model that the table cannot price.
func pricesOf(p *provider.Provider, m provider.Model) (*price.Table, error) {
	table := price.Default()
	if isFree(m) {
		return table, nil
	}
	if m.Pricing == nil {
		if !table.Lookup(m.ID).Priced() {
			return nil, nil
		}
		return table, nil
	}
	return table.With([]price.Listed{{
		Model: m.ID, Input: m.Pricing[0].String(), Cached: m.Pricing[1].String(), Output: m.Pricing[2].String(), Source: "provider " + p.ID,
	}})
}
