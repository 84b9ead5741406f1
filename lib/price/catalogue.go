package price

import "okstra/lib/provider"

// OfCatalogue are the prices that the rows of providers state, for
// [Table.With]. The name that a CLI is given is an alias of its model. What is
// free, as recordings are, has no row: it would have no input price to measure
// the other buckets by.
func OfCatalogue(rows []*provider.Provider) []Listed {
	var list []Listed
	for _, p := range rows {
		for _, m := range p.Models {
			if m.Pricing == nil || Free(m) {
				continue
			}
			aliases := m.Aliases
			if m.ExecutionValue != "" && m.ExecutionValue != m.ID {
				aliases = append([]string{m.ExecutionValue}, aliases...)
			}
			list = append(list, Listed{
				Model: m.ID, Aliases: aliases, Input: m.Pricing[0].String(), Cached: m.Pricing[1].String(), Output: m.Pricing[2].String(),
				Source: "provider " + p.ID,
			})
		}
	}
	return list
}

// Free tells whether the row of a model says that it costs nothing.
func Free(m provider.Model) bool {
	return m.Pricing != nil && m.Pricing.Input().Sign() == 0 && m.Pricing.Cached().Sign() == 0 && m.Pricing.Output().Sign() == 0
}
