#!/bin/sh
# demo.sh: a whole cross-verification run on examples/checkout-timeouts, played
# from recordings: no account, no network. The tools must be on the PATH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=${DEMO_DIR:-$(mktemp -d)}
mkdir -p "$place/checkout" "$place/home" "$place/bin"

cp -R "$here/checkout-timeouts/." "$place/checkout"
rm -rf "$place/checkout/recordings"
cd "$place/checkout"
git init -q -b main .
printf '/.okstra/\n' >.gitignore
git add .
git -c user.name=demo -c user.email=demo@example.com commit -q -m "the service as it is"

# The wizard offers the providers whose command is installed. These stand for
# the CLIs; the recordings answer in their place.
for cli in claude codex kimi; do
	printf '#!/bin/sh\necho "%s: played from a recording" >&2\nexit 1\n' "$cli" >"$place/bin/$cli"
	chmod +x "$place/bin/$cli"
done

export PATH="$place/bin:$PATH" HOME="$place/home" OKSTRA_HOME="$place/home/.okstra"
unset CLAUDE_CONFIG_DIR CODEX_HOME KIMI_CODE_HOME KIMI_SHARE_DIR GROK_HOME GEMINI_CLI_HOME
OKSTRA_REPLAY_DIR="$here/checkout-timeouts/recordings" TRANSLATE=ko TIMEOUT=3s GROUP=demo \
	sh "$here/cross-verify.sh" TASK.md
echo "  all of it:  $place/checkout"
