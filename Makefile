# anvil: make demo needs Go alone; make test sets up everything it needs and runs every test.

BUILD := build
NPM   := $(BUILD)/npm
PEERS := $(BUILD)/peers
ANVIL := $(BUILD)/bin/anvil

.PHONY: all help build demo test check bench proof soak fuzz vuln clean

all: build

help:
	@sed -n 's/^## /make /p' Makefile

## build: the anvil binary and the example server, into build/bin
build:
	go build -o $(BUILD)/bin/ ./cmd/anvil ./examples/refunds

## demo: the main job on the example server: adopt, approve, call through the facade, see drift
demo: build
	sh examples/demo.sh $(BUILD)

## test: vet, staticcheck, every test, and a user's drift check on the committed snapshots
test: build npm postgres
	go vet ./...
	GOOS=darwin go build -o $(BUILD)/other/ ./cmd/anvil && GOOS=windows go build -o $(BUILD)/other/ ./cmd/anvil
	go tool staticcheck ./...
	$(ANVIL) mcp check
	sh examples/demo.sh $(BUILD) >$(BUILD)/demo.txt || { cat $(BUILD)/demo.txt; exit 1; }
	ANVIL_NPM="$(CURDIR)/$(NPM)" go test -race -timeout 30m ./...

## check: what a user's CI runs: the example server against testdata/snapshots
check: build
	$(ANVIL) mcp check

.PHONY: npm peers postgres
npm:
	sh internal/e2e/npm/install.sh $(NPM)

# PostgreSQL's programs, for the tests that start their own cluster.
postgres:
	sh internal/postgres/install.sh

peers:
	sh internal/e2e/npm/install.sh $(PEERS) internal/e2e/peers
	cd internal/e2e/peers-go && go build -o "$(CURDIR)/$(PEERS)/bin/" github.com/oasdiff/oasdiff

## bench: the figures, as ratios against a named floor in the same run
bench: build npm peers postgres
	ANVIL_NPM="$(CURDIR)/$(NPM)" ANVIL_PEERS="$(CURDIR)/$(PEERS)" go test -run '^$$' -bench . -benchtime 1s ./internal/e2e ./compiler/canon ./compiler/schema/subtype ./compiler/diff ./compiler/adopt/gate ./compiler/pack/emit ./facade ./wire ./learn ./learn/evaluate ./learn/sqlstore

## proof: verdicts about PAIRS random pairs of schemas, each held against values; ANVIL_SEED=n gives other pairs
PAIRS ?= 100000
proof:
	go test -v -count 1 -timeout 0 -run '^TestVerdictsOf' ./compiler/schema/subtype -pairs $(PAIRS)

## soak: SESSIONS sessions through the facade that end in every way, and nothing of them left
SESSIONS ?= 10000
soak:
	ANVIL_SOAK=$(SESSIONS) go test -v -count 1 -timeout 0 -run '^TestSoak$$' ./facade

## fuzz: every fuzz target for FUZZTIME each
FUZZTIME ?= 30s
fuzz:
	sh internal/architecture/fuzz.sh $(FUZZTIME)

## vuln: known vulnerabilities of what the binary uses; needs the vulnerability database from the network
vuln:
	go tool govulncheck ./...

clean:
	rm -rf $(BUILD)
