# A payload for a Korean translation, and a German one that is finished.
set -e
data=final-report-error-analysis-001.data.json
okstra-translate prepare --data $data --lang ko > SRC.json
okstra-translate prepare --data $data --lang ko --select .digest | tr -d '"' > SRC.digest
okstra-translate prepare --data $data --lang de > DE.json
okstra-translate write --data $data --lang de --source DE.json --translations DE.md \
  --source-digest "$(okstra-translate prepare --data $data --lang de --select .digest | tr -d '"')"
okstra-translate write --data $data --lang ko --source SRC.json --translations KO.md --source-digest "$(cat SRC.digest)"
okstra-translate export --data $data --lang ko --format po > KO.po
