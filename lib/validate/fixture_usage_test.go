package validate

import (
	"encoding/json"
	"math/big"

	"okstra/lib/jsondoc"
)

// usage makes the blocks of a run and their summary.
func (s *story) usage() (blocks map[string]json.RawMessage, summary json.RawMessage) {
	blocks = map[string]json.RawMessage{}
	lead := seat{id: "lead", role: "leader", provider: "codex", model: "gpt-5.6-sol", tokens: []int64{10000, 40000, 0, 0, 3000}, cost: "0.16"}
	var roles []map[string]any
	var reasons []string
	type sum struct {
		tokens, billable int64
		cost             *big.Rat
	}
	sums := map[string]*sum{}
	add := func(key string, tokens, billable int64, cost string) {
		if sums[key] == nil {
			sums[key] = &sum{cost: new(big.Rat)}
		}
		sums[key].tokens += tokens
		sums[key].billable += billable
		r, _ := new(big.Rat).SetString(cost)
		sums[key].cost.Add(sums[key].cost, r)
	}
	for _, x := range append([]seat{lead}, s.seats...) {
		row := map[string]any{"role": x.role, "workerId": x.id, "label": x.id + "-worker", "provider": x.provider, "model": x.model, "durationMs": 570000}
		if x.id == "lead" {
			row["workerId"], row["label"] = nil, "Codex lead"
		}
		if x.tokens == nil {
			block := map[string]any{"source": "unavailable", "durationMs": 570000, "reason": x.why}
			if x.ran {
				block["cliExecutionStatus"], row["cliExecutionStatus"] = "exited", "exited"
			}
			blocks[x.id] = s.raw(block)
			row["source"], row["reason"] = "unavailable", x.why
			row["totalTokens"], row["billableEquivalentTokens"], row["costUsd"] = nil, nil, nil
			reasons = append(reasons, x.id+": "+x.why)
			roles = append(roles, row)
			continue
		}
		var total int64
		for _, n := range x.tokens {
			total += n
		}
		source := map[string]string{"codex": "codex-rollout", "claude": "claude-transcript", "kimi": "kimi-code-wire", "grok": "grok-updates"}[x.provider]
		billable := total / 2
		block := map[string]any{
			"source": source, "sessionId": "11111111-1111-4111-8111-111111111111", "sessionIds": []string{"11111111-1111-4111-8111-111111111111"},
			"model": x.model, "models": map[string]any{x.model: total}, "startedAt": s.at(1), "endedAt": s.at(10), "durationMs": 570000,
			"inputTokens": x.tokens[0], "cacheReadTokens": x.tokens[1], "cacheWrite5mTokens": x.tokens[2], "cacheWrite1hTokens": x.tokens[3],
			"outputTokens": x.tokens[4], "reasoningTokens": 0, "totalTokens": total, "billableEquivalentTokens": billable,
			"costUsd": json.Number(x.cost), "costComplete": true,
		}
		if x.id != "lead" {
			block["cliExecutionStatus"] = "exited"
		}
		blocks[x.id] = s.raw(block)
		row["source"], row["totalTokens"], row["billableEquivalentTokens"], row["costUsd"] = source, total, billable, json.Number(x.cost)
		roles = append(roles, row)
		side := "workers"
		if x.id == "lead" {
			side = "lead"
		}
		for _, key := range []string{side, "grand", "provider " + x.provider} {
			add(key, total, billable, x.cost)
		}
	}
	number := func(r *big.Rat) json.Number { return json.Number(decimal(r)) }
	providers := map[string]any{}
	for key, v := range sums {
		if name, ok := cutPrefix(key, "provider "); ok {
			providers[name] = map[string]any{"totalTokens": v.tokens, "billableEquivalentTokens": v.billable, "costUsd": number(v.cost)}
		}
	}
	if reasons == nil {
		reasons = []string{}
	}
	out := map[string]any{
		"collectedAt": s.at(91), "window": map[string]any{"since": s.at(0), "until": s.at(90)},
		"leadTotalTokens": sums["lead"].tokens, "grandTotalTokens": sums["grand"].tokens,
		"leadBillableEquivalentTokens": sums["lead"].billable, "grandBillableEquivalentTokens": sums["grand"].billable,
		"leadCostUsd": number(sums["lead"].cost), "costUsd": number(sums["grand"].cost), "costComplete": true,
		"workerTotalTokens": nil, "workerBillableEquivalentTokens": nil, "workerCostUsd": nil,
		"roles": roles, "byProvider": providers, "cpuSumMs": 570000 * len(roles), "wallClockMs": 5400000,
		"unmatchedModels": []string{}, "uncertainRates": []string{}, "placeholderOnly": 0, "skippedLines": 0, "unattributed": nil,
		"unavailableReasons": reasons, "phases": []any{map[string]any{"phase": "phase-4-dispatch", "wallMs": 602000}},
	}
	if w := sums["workers"]; w != nil {
		out["workerTotalTokens"], out["workerBillableEquivalentTokens"], out["workerCostUsd"] = w.tokens, w.billable, number(w.cost)
	}
	return blocks, s.raw(out)
}

func (s *story) raw(v any) json.RawMessage {
	raw, err := jsondoc.MarshalLine(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return json.RawMessage(raw[:len(raw)-1])
}

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return "", false
}
