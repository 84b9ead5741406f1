set -e
git init -q -b main .
git add TASK.md
git -c user.name=t -c user.email=t@example.com commit -qm start
okstra-wizard init --state-file open.json --host text --project-root . > /dev/null
okstra-wizard init --state-file done.json --host text --project-root . > /dev/null
okstra-wizard run --state-file done.json < answers.txt > /dev/null
okstra-wizard init --state-file native.json --host claude-code --available-functions auto --project-root . > /dev/null
