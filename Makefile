# make help tells the targets. Each does what it needs first.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

# The builds for users, their limit in bytes, and the builds for tests: these fill the
# heap with a pattern between calls.
PLUGINS := dist/rostering.wasm dist/rostering-nowasi.wasm
LIMIT := 68000
POISONED := build/rostering-poison.wasm build/rostering-nowasi-poison.wasm

MODULES := . tests host-example/go host-example/go/rostering host-example/go/rostering/redisstore
# Hosts in other languages. HOSTS=python,c narrows the tests to some; go is one too.
LANGUAGES := $(shell sed -n 's/.*"folder": "\(.*\)".*/\1/p' tests/conformance/hosts/languages.json)
export HOSTS ?=
comma := ,
UNKNOWN := $(filter-out go $(LANGUAGES),$(subst $(comma), ,$(HOSTS)))
$(if $(UNKNOWN),$(error HOSTS: no such languages: $(UNKNOWN); there are go $(LANGUAGES)))
# What tests/setup/programs.txt lists programs for.
WANTED := $(or $(subst $(comma), ,$(HOSTS)),$(LANGUAGES))
NEEDED_TO_test := $(WANTED) $(filter rust-check,$(WANTED:=-check)) redis $(if $(HOSTS),,fleet)
NEEDED_TO_check := $(WANTED) $(WANTED:=-check)
STATICCHECK := go run honnef.co/go/tools/cmd/staticcheck@v0.7.0
# A number of inputs, some seconds for most targets. A time such as 10m is fine by hand,
# but Go before 1.27 may then end in "context deadline exceeded" (go.dev/issue/75804).
FUZZTIME ?= 40000x
TINYGO_FLAGS := -no-debug -panic=trap -opt=z
WASM_FEATURES := --enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int --enable-sign-ext
# TinyGo's runtime exports these. wasm-metadce would take them out too, but changes
# the order of the imports, which matters: see plugin/imports.go.
UNWANTED := fminimumf?|fmaximumf?|syscall\.seek
SOURCES := go.mod go.sum Makefile $(wildcard plugin/*.go) \
	$(filter-out %_test.go,$(wildcard plugin/internal/*/*.go))

.PHONY: help
help: ## tell the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22

# Go's library has the plugin inside; go:embed reads nothing above its own folder.
EMBEDDED := host-example/go/rostering/wasm
.PHONY: build
build: $(PLUGINS) ## build the plugin: dist/rostering.wasm, dist/rostering-nowasi.wasm
	@if [ -d $(EMBEDDED) ]; then cp dist/rostering-nowasi.wasm $(EMBEDDED); fi

build/target.json: plugin/target.json plugin/toolchain.sh
	@plugin/toolchain.sh build

dist/rostering.wasm: TAGS :=
dist/rostering-nowasi.wasm: TAGS := nowasi
build/rostering-poison.wasm: TAGS := poison
build/rostering-nowasi-poison.wasm: TAGS := nowasi poison

$(PLUGINS) $(POISONED): build/target.json $(SOURCES)
	@build/tinygo version >/dev/null 2>&1 || plugin/toolchain.sh build # its cache folder may be gone
	@echo "building $@"
	@mkdir -p $(@D)
	@build/tinygo build -target build/target.json -tags '$(TAGS)' $(TINYGO_FLAGS) -ldflags '-extldflags=-Map=build/$(@F).map' -o build/$(@F).raw ./plugin
	@wasm-dis build/$(@F).raw | grep -vE '^ \(export "($(UNWANTED))"' >build/$(@F).wat
	@wasm-as $(WASM_FEATURES) build/$(@F).wat -o build/$(@F).trimmed
	@wasm-opt -Oz $(WASM_FEATURES) build/$(@F).trimmed -o build/$(@F).optimized
	@mv build/$(@F).optimized $@ # at once: another process may be reading the old one

.PHONY: run
run: build ## show it: against a sandbox, or the real service if ROSTERING_* are set
	@if [ -n "$${ROSTERING_AUTH_URL:-}$${ROSTERING_BASE_URL:-}$${ROSTERING_CLIENT_ID:-}$${ROSTERING_CLIENT_SECRET:-}" ]; then \
		cd host-example/go && go run . ; \
	else \
		cd tests && go run ./cmd/demo ; \
	fi

.PHONY: run-go
run-go: run

.PHONY: run-fleet
run-fleet: build build/sandbox ## processes share one token through Redis, isolates through Cloudflare's KV
	@tests/setup/setup.sh fleet
	@for language in node python java rust cloudflare-worker; do host-example/$$language/setup.sh || exit 1 ; done
	@cd tests && go run ./cmd/fleet
	@host-example/cloudflare-worker/run-fleet.sh

.PHONY: run-serverless
run-serverless: build build/sandbox ## a new process for each call, with the token in a file
	@build/sandbox host-example/go/serverless/run.sh

# The service of every language's tests.
.PHONY: build/sandbox
build/sandbox:
	@mkdir -p $(@D)
	@cd tests && go build -o ../$@ ./cmd/sandbox

# run-LANG: the demo in short, in another language.
.PHONY: $(LANGUAGES:%=run-%)
$(LANGUAGES:%=run-%): run-%: build build/sandbox
	@host-example/$*/setup.sh
	@build/sandbox host-example/$*/run.sh

# Installs what tests or checks need, as far as apt can. They end with a line for each part
# that is left out for lack of something; with CI=true nothing may be.
LEFT_OUT := sed 's/^/left out: /' build/left-out
.PHONY: setup-test setup-check
setup-test setup-check: setup-%:
	@mkdir -p build
	@tests/setup/setup.sh $(NEEDED_TO_$*) >build/left-out || [ $$? = 69 ]
	@$(LEFT_OUT)
	@[ "$${CI:-}" != true ] || [ ! -s build/left-out ] || { echo "CI=true: nothing may be left out" >&2 ; exit 1 ; }

# each SCRIPT: runs it in each language that has it and that HOSTS leaves in. A language
# whose tools are missing, which is status 69, is left out, unless CI is true.
define each
	@for language in go $(LANGUAGES); do \
		case ",$(HOSTS)," in ,,|*",$$language,"*) ;; *) continue ;; esac ; \
		[ -e host-example/$$language/$(1) ] || continue ; \
		echo "$(1) in $$language" ; \
		status=0 ; (cd host-example/$$language && { [ ! -e setup.sh ] || ./setup.sh ; } && ./$(1)) || status=$$? ; \
		if [ $$status = 69 ] && [ "$${CI:-}" != true ]; then \
			echo "left out: $$language" ; \
			grep -qs "^$$language[:-]" build/left-out || echo "$$language: see the output of $(1)" >>build/left-out ; \
			continue ; \
		fi ; \
		[ $$status = 0 ] || exit 1 ; \
	done
endef

# -count=1: what go test keeps of earlier runs does not see that dist has changed.
.PHONY: test
test: setup-test build build/sandbox $(POISONED) size fuzz ## prove every rule; HOSTS=python,go narrows it to some hosts
	$(call each,test.sh)
	@for module in $(MODULES); do \
		echo "testing the module $$module" ; \
		(cd $$module && go test -count=1 -timeout 30m -parallel 4 ./...) || exit 1 ; \
	done
	@$(MAKE) test-packages
	@$(LEFT_OUT)

# JavaScript's other runtimes have no package.sh: they take Node's package.
TAKE_NODES := $(foreach language,$(LANGUAGES),$(if $(wildcard host-example/$(language)/package.sh),,$(language)))
.PHONY: packages
packages: override HOSTS := $(HOSTS)$(if $(filter $(TAKE_NODES),$(subst $(comma), ,$(HOSTS))),$(comma)node)
packages: build ## make each language's package, and the plugin's files, in dist
	$(call each,package.sh)
	@cp docs/contract.schema.json LICENSE THIRD_PARTY_NOTICES.md dist
	@sed 's#"dist/#"#' docs/manifest.json >dist/manifest.json
	@cd dist && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS

.PHONY: test-packages
test-packages: packages build/sandbox ## take each package as its user does, in an empty folder
	$(call each,test-package.sh)
	@cd dist && sha256sum --quiet --check SHA256SUMS

# One target of go test -fuzz at a time is all that it takes.
.PHONY: fuzz
fuzz: ## fuzz each parser; FUZZTIME=10m for as long as you wish
	@mkdir -p build
	@grep -rEo '^func Fuzz[A-Za-z]+' --include='*_test.go' plugin | sed -E 's#(.*)/[^/]*:func (.*)#\1 \2#' | sort | \
		while read -r package target; do \
			echo "fuzzing $$target for $(FUZZTIME)" ; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$package" >build/fuzz.log 2>&1 || { cat build/fuzz.log ; exit 1 ; } ; \
		done

.PHONY: check
check: setup-check build ## format, vet, staticcheck, go mod tidy, shell scripts
	@unformatted=$$(gofmt -l .) ; [ -z "$$unformatted" ] || { echo "gofmt -w $$unformatted" ; exit 1 ; }
	@for module in $(MODULES); do \
		echo "checking the module $$module" ; \
		(cd $$module && go vet ./... && $(STATICCHECK) ./... && go mod tidy -diff) || exit 1 ; \
	done
	$(call each,check.sh)
	@for script in plugin/*.sh tests/setup/setup.sh host-example/go/serverless/run.sh host-example/go/*package.sh .ci/run; do \
		bash -n $$script || exit 1 ; \
	done
	@$(LEFT_OUT)

.PHONY: matrix
matrix: build $(POISONED) ## run the scenarios and write what came of it into docs/hosts.md
	@cd tests && go test -count=1 -timeout 30m -json -run Scenarios ./conformance >../build/scenarios.json || true
	@cd tests && go run ./conformance/matrix ../docs/hosts.md ../README.md <../build/scenarios.json

.PHONY: bench
bench: build ## what a warm call costs on go-sdk, beside a peer in the same run
	@cd tests && go run ./cmd/bench

# Vet, unit tests, the simulation and the scenarios on the native core: no plugin, no other
# language.
.PHONY: core
core: ## the core alone, in a minute
	@cd plugin && go vet ./... && go test -short ./...
	@cd tests && go test -run 'TestScenarios/core(-driver)?$$' ./conformance

# What TestRandom finds, it prints as a scenario; SEED=N begins with another sequence.
SEED ?= 1
STEPS ?= 10000000
SIMULATE := go test -count=1 -timeout 0 -v ./internal/simulation
.PHONY: simulate
simulate: ## ten million random steps, and a fleet of 100,000 over a day; prints the figures of docs/fleet.md
	@cd plugin && $(SIMULATE) -run 'TestRandom$$' -args -seed $(SEED) -steps $(STEPS)
	@cd plugin && $(SIMULATE) -run 'TestFleet$$|TestBusyService$$|TestDay$$' -args -seed $(SEED) -hours 24.01 | grep -v '^=== '

.PHONY: inspect
inspect: build ## tell the version, contract, imports and exports of each build
	@cd tests && go run ./cmd/inspect $(PLUGINS:%=../%)

.PHONY: notices
notices: build ## write THIRD_PARTY_NOTICES.md: what is linked into the plugin
	@cd tests && go run ./cmd/notices >../THIRD_PARTY_NOTICES.md

.PHONY: size
size: build ## tell the size of each build, and fail above the limit
	@wc -c $(PLUGINS) | awk -v limit=$(LIMIT) '$$2 != "total" { print $$2 ": " $$1 " bytes of " limit; if ($$1 > limit) over = 1 } END { exit over }'

.PHONY: clean
clean: ## remove what was built; TinyGo stays in the user's cache folder
	rm -rf build dist
