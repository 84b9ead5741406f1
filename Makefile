# The targets are described in docs/development.md; "make check" before a commit.

GO       ?= go
BIN      ?= bin
FUZZTIME ?= 3000x
# The fuzz step as a whole stops after this many seconds.
FUZZLIMIT ?= 240
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo '(devel)')
# How many CLIs make e2e runs at once: most of them wait for an answer that
# never comes.
E2EJOBS  ?= 6
# Where make vuln looks; empty for the public database, file:///DIR without a network.
VULNDB   ?=

DESTDIR  ?=
prefix   ?= /usr/local
bindir    = $(DESTDIR)$(prefix)/bin
share     = $(DESTDIR)$(prefix)/share

TOOLS    = $(notdir $(wildcard cmd/okstra-*))
TOOL     = $(GO) tool -modfile=tools.mod
LDFLAGS  = -s -w -X okstra/lib/cli.version=$(VERSION)
# Without the C library a process starts in half the time; built once so, all
# other targets find it. Only the race detector needs C.
export CGO_ENABLED ?= 0
# TRIMPATH= builds programs that name the paths of this machine, out of the packages
# that tests have compiled.
TRIMPATH ?= -trimpath
BUILD    = $(GO) build $(TRIMPATH) -buildvcs=auto -ldflags '$(LDFLAGS)'
# testrun is "go test" that counts the skipped tests before its closing lines.
TEST     = $(GO) run ./lib/clitest/testrun
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

# Left out of staticcheck's "all": QF1001 and QF1008 are matters of taste
# (De Morgan's law, naming embedded fields), not faults.
STATICCHECKS = all,-QF1001,-QF1008

.PHONY: build demo e2e soak test race golden fuzz bench bench-usage fmt fmt-check lint tidy-check check \
	cross cover vuln man install uninstall dist release-check clean

build:
	$(BUILD) -o $(BIN)/ ./cmd/...

demo: build
	PATH="$(abspath $(BIN)):$$PATH" sh examples/demo.sh

e2e:
	$(TEST) -tags e2e -timeout 25m -count=1 -parallel $(E2EJOBS) ./lib/clitest/e2e/...

soak:
	OKSTRA_SOAK=1 $(GO) test -tags soak -timeout 60m ./...

test:
	$(TEST) $(TESTFLAGS) ./...

# The tests of the tree run compiled programs, into which no detector sees. A
# raced process waits a second when it ends unless it is told not to.
RACED ?= ./cmd/... ./lib/...
race:
	CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(TEST) -race -shuffle=on $(TESTFLAGS) $(RACED)

golden:
	UPDATE_SCRIPTS=1 $(GO) test . ./cmd/... ./lib/cli/...
	git diff --stat

# Go fuzzes one target at a time, by a count of inputs: stopped by a time, a
# target without a finding fails now and then with "context deadline exceeded"
# (golang.org/issue/75804). The order changes from run to run, so that
# each target gets its turn where the time does not suffice for all. An input
# that reaches new code is made smaller with 10 tries: the default is a minute
# for each, in which a target of large documents tries nothing new.
fuzz:
	@end=$$(( $$(date +%s) + $(FUZZLIMIT) )); \
	grep -rE --include='*_test.go' '^func Fuzz' cmd lib | \
	sed -E 's|^(.*)/[^/:]+:func (Fuzz[A-Za-z0-9_]+).*|\1 \2|' | sort -R | \
	while read -r dir name; do \
		if [ $$(date +%s) -ge $$end ]; then echo "fuzz: out of time before $$dir $$name"; continue; fi; \
		echo "fuzz $$dir $$name"; \
		$(GO) test -vet=off -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x "./$$dir" || exit 1; \
	done

# The packages that have benchmarks: to link the tests of all takes longer than
# to run these once.
BENCHED = $$(grep -rlE --include='*_test.go' '^func Benchmark' cmd lib | xargs -n1 dirname | sort -u | sed 's|^|./|')

# TESTFLAGS='-short -benchtime 1x -count 1' only tries whether they run.
bench:
	$(GO) test -run '^$$' -bench . -benchmem -count 6 $(TESTFLAGS) $(BENCHED)

# One tool with the packages that it alone uses: make bench-token-usage.
BENCH_dispatch    = ./lib/dispatch/... ./lib/writepolicy/... ./lib/audit/...
BENCH_token-usage = ./lib/usage/... ./lib/transcript/... ./lib/price/...
BENCH_converge    = ./lib/converge/...
BENCH_translate   = ./lib/translate/... ./lib/render/...
BENCH_wizard      = ./lib/wizard/...
BENCH_validate    = ./lib/validate/... ./lib/schema/... ./lib/finding/...
bench-%:
	$(GO) test -run '^$$' -bench . -benchmem -count 6 $(TESTFLAGS) ./cmd/okstra-$* $(BENCH_$*)

# okstra-token-usage beside grep, find and, where npm is there, ccusage, on homes that
# are made once below BENCHDIR: BENCHFLAGS='-mib 200 -rounds 3 -peers=false'.
BENCHDIR ?= $(or $(TMPDIR),/tmp)/okstra-usagebench
bench-usage: build
	$(GO) run ./lib/clitest/usagebench -bin $(BIN)/okstra-token-usage -dir $(BENCHDIR) $(BENCHFLAGS)

fmt:
	$(TOOL) gofumpt -w $(GOFILES)

fmt-check:
	@list=$$($(TOOL) gofumpt -l $(GOFILES)) || exit 1; \
	if [ -n "$$list" ]; then echo "not formatted (make fmt):"; echo "$$list"; exit 1; fi

# Everything that git knows or would take; the demo's service is Go as well.
GOFILES = $$(git ls-files --cached --others --exclude-standard '*.go' | xargs ls -d 2>/dev/null)

lint:
	$(GO) vet ./...
	$(GO) fix -diff ./...
	$(TOOL) staticcheck -checks '$(STATICCHECKS)' ./...

tidy-check:
	$(GO) mod tidy -diff
	$(GO) mod verify

check: fmt-check tidy-check lint test

cross:
	@for platform in $(PLATFORMS); do \
		echo "build $$platform"; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} $(GO) build ./cmd/... || exit 1; \
	done

cover:
	$(GO) test -coverpkg=./lib/...,./cmd/... -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -1

# A database that cannot be had is no pass: the line says so. Status 3 means
# that a vulnerability was found.
vuln:
	@out=$$($(TOOL) govulncheck $(if $(VULNDB),-db $(VULNDB)) ./... 2>&1); status=$$?; \
	case "$$status/$$out" in \
	0/*) echo "$$out" ;; \
	1/*"fetching vulnerabilities"*) echo "vuln: skipped: no database" ;; \
	*) echo "$$out"; exit $$status ;; \
	esac

man: build
	@mkdir -p docs/man
	@for tool in $(TOOLS); do $(BIN)/$$tool --help-man > docs/man/$$tool.1 || exit 1; done

install: build
	install -d $(bindir) $(share)/man/man1 $(share)/bash-completion/completions \
		$(share)/zsh/site-functions $(share)/fish/vendor_completions.d
	for tool in $(TOOLS); do \
		install -m 755 $(BIN)/$$tool $(bindir)/$$tool && \
		$(BIN)/$$tool --help-man > $(share)/man/man1/$$tool.1 && \
		$(BIN)/$$tool --completion-script-bash > $(share)/bash-completion/completions/$$tool && \
		$(BIN)/$$tool --completion-script-zsh > $(share)/zsh/site-functions/_$$tool && \
		$(BIN)/$$tool --completion-script-fish > $(share)/fish/vendor_completions.d/$$tool.fish || exit 1; \
	done

uninstall:
	for tool in $(TOOLS); do \
		rm -f $(bindir)/$$tool $(share)/man/man1/$$tool.1 $(share)/bash-completion/completions/$$tool \
			$(share)/zsh/site-functions/_$$tool $(share)/fish/vendor_completions.d/$$tool.fish; \
	done

# The same commit gives the same archives: no paths, no owners, the commit's time.
dist: man
	rm -rf dist && mkdir -p dist
	@epoch=$$(git log -1 --format=%ct); \
	for platform in $(PLATFORMS); do \
		name=okstra-$(VERSION)-$${platform%/*}-$${platform#*/}; \
		echo "dist/$$name.tar.gz"; mkdir -p dist/$$name/man && \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} $(BUILD) -o dist/$$name/ ./cmd/... && \
		cp README.md CHANGELOG.md LICENSE dist/$$name/ && cp docs/man/*.1 dist/$$name/man/ && \
		tar -C dist --sort=name --owner=0 --group=0 --numeric-owner --mtime=@$$epoch -cf - $$name | \
			gzip -n9 > dist/$$name.tar.gz && rm -r dist/$$name || exit 1; \
	done
	cd dist && sha256sum *.tar.gz > SHA256SUMS

# What must hold before a tag is published; VERSION is the tag.
release-check: check cross
	@echo '$(VERSION)' | grep -Eqx 'v[0-9]+\.[0-9]+\.[0-9]+' || { echo "VERSION $(VERSION) is no release (expected vX.Y.Z, on a clean tree)"; exit 1; }
	@grep -q '^## $(VERSION:v%=%)' CHANGELOG.md || { echo "CHANGELOG.md has no section \"## $(VERSION:v%=%)\""; exit 1; }
	@$(MAKE) -s man && git diff --exit-code --stat docs/man
	@for tool in $(TOOLS); do $(BIN)/$$tool --version | grep -q " $(VERSION) " || { echo "$$tool does not say $(VERSION)"; exit 1; }; done

clean:
	rm -rf $(BIN) dist cover.out
