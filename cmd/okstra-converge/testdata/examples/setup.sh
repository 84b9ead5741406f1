set -e
sed "s#PROJECT#$PWD#" run/m.in.json > run/m.json
results=.okstra/tasks/pay/checkout-timeouts/runs/error-analysis/worker-results
mkdir -p $results
for w in scope-a scope-b scope-c; do cp $w.md $results/$w-worker-error-analysis-002.md; done
okstra-converge items scope-a.md scope-b.md scope-c.md > items.jsonl
okstra-converge draft-groups --run-manifest run/m.json --output g.md items.jsonl
okstra-converge prepare-groups --run-manifest run/m.json --input g.md --output input.json
okstra-converge seed --output state.json input.json
okstra-converge apply --round 1 --state state.json --output round1.json scope-a-r1.md scope-c-r1.md
okstra-converge apply --round 2 --state round1.json --output closing.json scope-a-r2.md scope-c-r2.md
okstra-converge finalize --output final.json closing.json
sed "s#PROJECT#$PWD#" plan/m.in.json > plan/m.json
okstra-converge plan-body seed --run-manifest plan/m.json --data plan.json --output plan-seed.json
okstra-converge plan-body apply --round 1 --state plan-seed.json --output plan-r1.json scope-[abc]-plan-r1.md
okstra-converge plan-body fix --data plan2.json --note 'the step names its target' --output plan-fixed.json plan-r1.json
okstra-converge plan-body apply --round 2 --state plan-fixed.json --allow-missing --output plan-r2.json scope-[ab]-plan-r2.md 2>/dev/null
sed 's/"enabled": false/"enabled": true/' final.json > critical.json
