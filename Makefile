# make help tells the targets. Each does what it needs first.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

# The builds for users, their limit in bytes, and the builds for tests: one fills the heap
# with a pattern between calls, the other logs each call.
PLUGINS := dist/rostering.wasm dist/rostering-nowasi.wasm
LIMIT := 68000
TEST_PLUGINS := build/rostering-poison.wasm build/rostering-trace.wasm

MODULES := plugin sandbox tests sdk/go sdk/go/redisstore host-example/go
# Hosts in other languages. HOSTS=python,c narrows the tests to some; go is one too.
LANGUAGES := $(notdir $(shell sed -n 's/.*"folder": "\(.*\)".*/\1/p' tests/conformance/hosts/languages.json))
export HOSTS ?=
comma := ,
UNKNOWN := $(filter-out go $(LANGUAGES),$(subst $(comma), ,$(HOSTS)))
$(if $(UNKNOWN),$(error HOSTS: no such languages: $(UNKNOWN); there are go $(LANGUAGES)))
# What tests/setup/programs.txt lists programs for.
WANTED := $(or $(subst $(comma), ,$(HOSTS)),$(LANGUAGES))
NEEDED_TO_test := $(WANTED) $(filter rust-check,$(WANTED:=-check)) redis page ffi
NEEDED_TO_check := $(WANTED) $(WANTED:=-check)
STATICCHECK := build/staticcheck
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
	@echo "  make run-LANG       the program jobs; LANG is one of go $(LANGUAGES)"

# Go's library has the plugin inside; go:embed reads nothing above its own folder.
EMBEDDED := sdk/go/wasm
.PHONY: build
build: $(PLUGINS) ## build the plugin: dist/rostering.wasm, dist/rostering-nowasi.wasm
	@if [ -d $(EMBEDDED) ]; then cp dist/rostering-nowasi.wasm $(EMBEDDED); fi

build/target.json: plugin/target.json plugin/toolchain.sh
	@plugin/toolchain.sh build

dist/rostering.wasm: TAGS :=
dist/rostering-nowasi.wasm: TAGS := nowasi
build/rostering-poison.wasm: TAGS := poison
build/rostering-trace.wasm: TAGS := nowasi trace

$(PLUGINS) $(TEST_PLUGINS): build/target.json $(SOURCES)
	@build/tinygo version >/dev/null 2>&1 || plugin/toolchain.sh build # its cache folder may be gone
	@echo "building $@"
	@mkdir -p $(@D)
	@build/tinygo build -target build/target.json -tags '$(TAGS)' $(TINYGO_FLAGS) -ldflags '-extldflags=-Map=build/$(@F).map' -o build/$(@F).raw ./plugin
	@wasm-dis build/$(@F).raw | grep -vE '^ \(export "($(UNWANTED))"' >build/$(@F).wat
	@wasm-as $(WASM_FEATURES) build/$(@F).wat -o build/$(@F).trimmed
	@wasm-opt -Oz $(WASM_FEATURES) build/$(@F).trimmed -o build/$(@F).optimized
	@mv build/$(@F).optimized $@ # at once: another process may be reading the old one

.PHONY: run
run: build ## show it: the plugin against a sandbox
	@cd tests && go run ./cmd/demo

# run-LANG: the program jobs, against a sandbox, or the real service if ROSTERING_* are set.
.PHONY: run-go $(LANGUAGES:%=run-%)
run-go $(LANGUAGES:%=run-%): run-%: build build/sandbox
	@$(addsuffix ;,$(wildcard sdk/$*/setup.sh sdk/javascript/runtimes/$*/setup.sh)) \
	$(if $(ROSTERING_CLIENT_ID),,build/sandbox) host-example/$*/run.sh jobs
ROSTERING_CLIENT_ID ?=

.PHONY: sandbox
sandbox: build/sandbox ## a made-up service to develop against, with a page to watch; PORT=8080 is its port
	@build/sandbox -port $(or $(PORT),0)
PORT ?=

.PHONY: docs/sandbox.png
docs/sandbox.png: build ## the picture of that page
	@tests/setup/setup.sh page
	@cd tests && SCREENSHOT=$(CURDIR)/$@ go test -count=1 -run TestPage ./page

.PHONY: run-fleet
run-fleet: build build/sandbox ## processes share one token through Redis, and through a folder, isolates through Cloudflare's KV
	@tests/setup/setup.sh redis
	@for folder in c java javascript/runtimes/node javascript/runtimes/workerd python rust; do sdk/$$folder/setup.sh || exit 1 ; done
	@cd tests && go run ./cmd/fleet
	@host-example/workerd/run.sh fleet

.PHONY: run-serverless
run-serverless: build build/sandbox ## a new process for each call, with the token in a file
	@folder=$$(mktemp -d) ; trap 'rm -rf "$$folder"' EXIT ; \
	ROSTERING_STORE=$$folder build/sandbox bash -c 'for n in 1 2 3; do host-example/go/run.sh serverless; done'

# The service of every language's tests.
.PHONY: build/sandbox
build/sandbox:
	@mkdir -p $(@D)
	@cd sandbox && go build -o ../$@ ./cmd/rostering-sandbox

# Installs what tests or checks need, as far as apt can. They end with a line for each part
# that is left out for lack of something; with CI=true nothing may be.
LEFT_OUT := sed 's/^/left out: /' build/left-out
.PHONY: setup-test setup-check
setup-test setup-check: setup-%:
	@mkdir -p build
	@tests/setup/setup.sh $(NEEDED_TO_$*) >build/left-out || [ $$? = 69 ]
	@$(LEFT_OUT)
	@[ "$${CI:-}" != true ] || [ ! -s build/left-out ] || { echo "CI=true: nothing may be left out" >&2 ; exit 1 ; }

# -count=1: what go test keeps of earlier runs does not see that dist has changed.
.PHONY: test
test: setup-test ## prove every rule; HOSTS=python,go narrows it to some hosts
	@rm -f build/seconds
	@tests/timed.sh build $(MAKE) build build/sandbox $(TEST_PLUGINS) size
	@tests/timed.sh fuzz $(MAKE) fuzz
	@tests/each.sh test.sh
	@for module in $(MODULES); do \
		echo "testing the module $$module" ; \
		tests/timed.sh "module $$module" bash -c "cd $$module && go test -count=1 -timeout 30m -parallel 4 ./..." || exit 1 ; \
	done
	@tests/timed.sh test-packages $(MAKE) test-packages
	@sort -rn build/seconds
	@$(LEFT_OUT)

.PHONY: packages
packages: build ## make each language's package, the plugin's files, and the bill of materials of all, in dist
	@tests/each.sh package.sh
	@cp docs/contract.schema.json LICENSE THIRD_PARTY_NOTICES.md dist
	@sed 's#"dist/#"#' docs/manifest.json >dist/manifest.json
	@cd tests && go run ./cmd/bill >../build/rostering.cdx.json
	@mv build/rostering.cdx.json dist
	@cd dist && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS

.PHONY: test-packages
test-packages: packages build/sandbox ## take each package as its user does, in an empty folder
	@tests/each.sh test-package.sh
	@cd dist && sha256sum --quiet --check SHA256SUMS
	@cd tests && PACKAGES=made go test -count=1 ./cmd/bill

.PHONY: reproducible
reproducible: ## make the packages of the last commit in two clones, and compare them byte for byte: minutes
	@tests/reproducible.sh

.PHONY: audit
audit: ## look the dependencies up in the databases of known vulnerabilities; those out of reach are named
	@tests/audit.sh $(MODULES)

.PHONY: versions
versions: ## test the libraries with the oldest and the newest runtimes, and tell CONTRIBUTING.md: half an hour
	@tests/versions.sh CONTRIBUTING.md

# One target of go test -fuzz at a time is all that it takes.
.PHONY: fuzz
fuzz: ## fuzz each parser; FUZZTIME=10m for as long as you wish
	@mkdir -p build
	@grep -rEo '^func Fuzz[A-Za-z]+' --include='*_test.go' plugin | sed -E 's#(.*)/[^/]*:func (.*)#\1 \2#' | sort | \
		while read -r package target; do \
			echo "fuzzing $$target for $(FUZZTIME)" ; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$package" >build/fuzz.log 2>&1 || { cat build/fuzz.log ; exit 1 ; } ; \
		done

$(STATICCHECK): Makefile
	@GOBIN=$(CURDIR)/$(@D) go install honnef.co/go/tools/cmd/staticcheck@v0.7.0

.PHONY: check
check: setup-check build $(STATICCHECK) ## format, vet, staticcheck, go mod tidy, shell scripts
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l) ; [ -z "$$unformatted" ] || { echo "make format: $$unformatted" ; exit 1 ; }
	@for module in $(MODULES); do \
		echo "checking the module $$module" ; \
		(cd $$module && go vet ./... && $(CURDIR)/$(STATICCHECK) ./... && go mod tidy -diff) || exit 1 ; \
	done
	@plugin/vet.sh $(CURDIR)/$(STATICCHECK)
	@tests/each.sh check.sh
	@git ls-files -co --exclude-standard '*.sh' .ci/run | while read -r script; do bash -n "$$script" || exit 1 ; done
	@$(LEFT_OUT)

.PHONY: format
format: setup-check ## format all code as make check wants it
	@git ls-files -co --exclude-standard '*.go' | xargs gofmt -w
	@tests/each.sh format.sh

.PHONY: matrix
matrix: build $(TEST_PLUGINS) ## run the scenarios and write what came of it into docs/hosts.md
	@cd tests && go test -count=1 -timeout 30m -json -run Scenarios ./conformance >../build/scenarios.json || true
	@cd tests && go run ./conformance/matrix ../docs/hosts.md ../README.md <../build/scenarios.json

.PHONY: bench
bench: build ## what a call costs on go-sdk and in each library, beside peers in the same run; HOSTS=go,c narrows it
	@tests/each.sh setup.sh
	@tests/bench/peers/build.sh
	@cd tests && go run ./cmd/bench

.PHONY: bench-report
bench-report: build ## measure the plugin beside those of other languages, and write docs/benchmarks.md
	@tests/bench/peers/build.sh
	@cd tests && go run ./cmd/bench -report ../docs

# Vet, unit tests, the simulation and the scenarios on the native core: no plugin, no other
# language.
.PHONY: core
core: ## the core alone, in a minute
	@cd plugin && go vet ./... && go test -short ./...
	@cd tests && go test -run 'TestScenarios/core(-driver)?$$' ./conformance

# What TestRandom finds, it prints as a scenario; SEED=N begins with another sequence.
SEED ?= 1
STEPS ?= 10000000
LARGEST ?= 100000
SIMULATE := go test -count=1 -timeout 0 -v ./internal/simulation
.PHONY: simulate
simulate: ## ten million random steps, and fleets of up to LARGEST=100000 over a day, whose figures go into docs/fleet.md
	@mkdir -p build
	@cd plugin && $(SIMULATE) -run 'TestRandom$$' -args -seed $(SEED) -steps $(STEPS)
	@cd plugin && $(SIMULATE) -run 'TestReport$$' -args -seed $(SEED) -largest $(LARGEST) -report $(CURDIR)/build/day.json | grep -v '^=== '
	@cd tests && go run ./cmd/fleettable ../build/day.json ../docs/fleet.md

CALLS ?= 1000000
.PHONY: soak
soak: build ## hold the built plugin to the core and its model for a million random calls
	@cd tests && go run ./cmd/soak -seed $(SEED) -steps $(CALLS)

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
