# A project with one run that is done and one that is planned. run.json and M are
# the manifest of the first, as its own path is too long for a help page.
set -e
git init -q .
git add -A
git -c user.name=me -c user.email=me@example.com commit -qm start
okstra-dispatch plan --prompt done.md --worker claude --replay recordings | okstra-dispatch run -q --boundary none > done.jsonl
okstra-dispatch plan --prompt task.md --worker claude --worker codex --replay recordings > jobs.jsonl
head -n 1 jobs.jsonl > job.json
cp .okstra/tasks/adhoc/done/runs/error-analysis/manifests/run-manifest-*.json run.json
cp run.json M
printf '{"invocation": {"role": "analyser", "projectRoot": "%s", "artifactPaths": ["out/result.md"]}, "assignment": {"workerWriteCapability": {"maxBoundaryPrecision": "exact-path"}}, "worktree": null}\n' "$PWD" > request.json
okstra-dispatch policy build --select .writePolicy request.json > policy.json
for name in before b after a; do
    okstra-dispatch audit snapshot --root . > ../$name.json
done
for name in before b after a; do
    mv ../$name.json .
done
