# make help lists the targets. Each one first makes what it needs.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The builds of the plugin, their limits in bytes, and where the repository has them: a library
# embeds a file of its own folder, as pip, npm and cargo take no other. JavaScript's module has the
# same bytes in base64, since bundlers lose other files. For tests, one build fills the heap with a
# pattern between calls, and some modules are no plugin, or a faulty one.
BUILDS := build/rostering.wasm build/rostering-nowasi.wasm build/rostering-core.wasm
LIMIT := 61500
CORE_LIMIT := 58000
PLUGINS := plugin/rostering.wasm plugin/rostering-nowasi.wasm sdk/javascript/src/rostering-core.js \
	$(addsuffix /rostering-core.wasm,plugin sdk/java/src/build sdk/javascript/src \
	sdk/python/automatic_rostering sdk/rust)
FAULTY := $(patsubst tests/rules/modules/%.wat,build/%.wasm,$(wildcard tests/rules/modules/*.wat))
TEST_PLUGINS := build/rostering-poison.wasm build/truncated.wasm $(FAULTY)

MODULES := tests . sandbox cli sdk/go/redisstore host-example/go
# Tests run two at a time: first those that take longest.
TESTS := $(MODULES:%=module-%) libraries fuzz bench-check
LANGUAGES := $(notdir $(shell cat tools/languages.txt))
# HOSTS=python,c limits the tests to some languages; javascript is all of its runtimes.
HOSTS ?=
comma := ,
override HOSTS := $(subst javascript,node$(comma)deno$(comma)bun$(comma)workerd,$(HOSTS))
export HOSTS
# The parts for which tools/programs.txt lists programs.
WANTED := $(or $(subst $(comma), ,$(HOSTS)),$(LANGUAGES))
UNKNOWN := $(filter-out $(LANGUAGES),$(WANTED))
$(if $(UNKNOWN),$(error HOSTS: unknown languages $(UNKNOWN); use some of javascript $(LANGUAGES)))
NEEDED_TO_test := plugin $(sort $(WANTED) python) $(filter rust-check,$(WANTED:=-check)) redis postgres page ffi
NEEDED_TO_check := $(WANTED) $(WANTED:=-check) scripts
STATICCHECK := build/staticcheck
# A number of inputs, which takes most targets some seconds. A time such as 10m works, too, but before
# Go 1.27 it may end in "context deadline exceeded" (go.dev/issue/75804).
FUZZTIME ?= 10000x
# The same for the built files, which cannot guide the fuzzer.
BUILT_FUZZTIME ?= 300x
TINYGO_FLAGS := -no-debug -panic=trap -opt=z
WASM_FEATURES := --enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int --enable-sign-ext
# Structured anew, the code is half a kilobyte smaller. The stack comes first in memory, so no pointer is below 1024.
WASM_OPT := --low-memory-unused --flatten --rereloop -Oz -Oz
# TinyGo's runtime exports these. wasm-metadce would remove them, too, but it changes the
# order of the imports, which matters: see plugin/imports.go. No build needs _initialize, but some
# of Extism's SDKs expect it.
UNWANTED := fminimumf?|fmaximumf?|syscall\.seek
build/rostering-core.wasm: UNWANTED := $(UNWANTED)|_initialize
SOURCES := go.mod go.sum Makefile plugin/target.json $(wildcard plugin/*.go) \
	$(filter-out %_test.go,$(wildcard plugin/core/*/*.go))

# Targets with a description make no file of their name, and neither do these.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*## .*/\1/p' Makefile)
.PHONY: run-javascript $(LANGUAGES:%=run-%) docs/sandbox.png build/sandbox setup-test setup-check package-files libraries $(MODULES:%=module-%)
help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 22
	@echo "  make run-LANG       run the program jobs in a language: $(LANGUAGES)"

build: $(BUILDS) build/rostering-core.js ## build the plugin, and write it where the repository has it
	@for file in $(PLUGINS); do cmp -s "build/$${file##*/}" "$$file" || { cp "build/$${file##*/}" "$$file" ; echo "wrote $$file" ; } ; done

verify: $(BUILDS) build/rostering-core.js ## compare the plugin in the repository with a build of its sources
	@sha256sum $(BUILDS) $(PLUGINS)
	@for file in $(PLUGINS); do cmp -s "build/$${file##*/}" "$$file" || { \
		echo "$$file is not what the sources give, with $$(build/tinygo version), $$(wasm-opt --version): run make build and commit" >&2 ; exit 1 ; } ; done

build/rostering.wasm: TAGS :=
build/rostering-nowasi.wasm: TAGS := nowasi
build/rostering-poison.wasm: TAGS := poison
build/rostering-core.wasm: TAGS := pure

$(FAULTY): build/%.wasm: tests/rules/modules/%.wat
	@mkdir -p $(@D)
	@command -v wasm-as >/dev/null || tools/setup.sh plugin
	@wasm-as $< -o $@

build/truncated.wasm: plugin/rostering-core.wasm
	@mkdir -p $(@D)
	@head -c 20000 $< >$@

build/rostering-core.js: build/rostering-core.wasm
	@{ echo "// Made by make build: rostering-core.wasm in base64." ; \
		printf "export default '%s';\n" "$$(base64 -w0 $<)" ; } >$@

$(BUILDS) build/rostering-poison.wasm: tools/toolchain.sh $(SOURCES)
	@tools/toolchain.sh
	@echo "building $@"
	@build/tinygo build -target plugin/target.json -tags '$(TAGS)' $(TINYGO_FLAGS) -o build/$(@F).raw ./plugin
	@wasm-dis build/$(@F).raw | grep -vE '^ \(export "($(UNWANTED))"' >build/$(@F).wat
	@wasm-as $(WASM_FEATURES) build/$(@F).wat -o build/$(@F).trimmed
	@wasm-opt $(WASM_OPT) $(WASM_FEATURES) build/$(@F).trimmed -o build/$(@F).optimized
	@mv build/$(@F).optimized $@ # atomically: another process may be reading the old file

run: ## watch the plugin at work with a mock service
	@cd tests && go run ./cmd/demo

# run-LANG: the program jobs, against the sandbox, or the real service if ROSTERING_* are set.
run-javascript: run-node
$(LANGUAGES:%=run-%): run-%: build/sandbox
	@CI=true HOSTS=$* tools/each.sh setup
	@$(if $(ROSTERING_CLIENT_ID),,build/sandbox) host-example/run.sh $* jobs
ROSTERING_CLIENT_ID ?=

sandbox: build/sandbox ## run a mock service to develop against, with a page that shows its requests; PORT=8080 sets the port
	@build/sandbox -port $(or $(PORT),0)
PORT ?=

docs/sandbox.png: ## take the screenshot of that page
	@cd tests && CI=true SCREENSHOT=$(CURDIR)/$@ go test -count=1 -run TestPage ./page

run-fleet: ## run a fleet on one Redis server, and on one folder: one token each
	@cd tests && CI=true go test -count=1 -v -run TestFleet ./runner

# The service of every language's tests.
build/sandbox:
	@mkdir -p $(@D)
	@cd sandbox && go build -o ../$@ ./cmd/rostering-sandbox

# Installs what tests or checks need, as far as apt has it. They end with a line for each part
# that was skipped because something is missing; with CI=true that is an error.
SKIPPED := sed 's/^/skipped: /' build/skipped
setup-test setup-check: setup-%:
	@mkdir -p build
	@tools/setup.sh $(NEEDED_TO_$*) >build/skipped || [ $$? = 69 ]
	@$(SKIPPED)
	@[ "$${CI:-}" != true ] || [ ! -s build/skipped ] || { echo "CI=true: nothing may be skipped" >&2 ; exit 1 ; }

# -count=1: the test cache does not notice that the plugin has changed.
test: setup-test ## run all tests; HOSTS=python,go limits them to some hosts
	@grep -q '^plugin: ' build/skipped || $(MAKE) verify size $(TEST_PLUGINS)
	@$(MAKE) build/sandbox
	@printf '%s\n' $(TESTS) | xargs -P2 -I{} bash -c '$(MAKE) -s {} && echo "{}: $$SECONDS s" || exit 255'
	@$(MAKE) test-packages
	@$(SKIPPED)

# In tests, the package runner takes longest, and mostly waits.
$(MODULES:%=module-%): module-%:
	@echo "testing the module $*"
	@cd $* && go test -count=1 -timeout 30m -parallel 6 $(if $(filter tests,$*),./runner) ./...

libraries:
	@tools/each.sh test

test-libraries: build/sandbox build/truncated.wasm $(FAULTY) ## test the libraries alone, and play their rules; HOSTS=python,go limits it
	@tools/each.sh test
	@cd tests && go test -count=1 -timeout 30m -run TestLibraries ./runner

# Says all that is missing before anything is built.
packages: ## make each language's package, the sandbox and bills of materials in dist; HOSTS=python,javascript limits it
	@tools/setup.sh plugin $(WANTED) >&2 || { echo "nothing was built; HOSTS=python,go makes the packages of these alone" >&2 ; exit 1 ; }
	@$(MAKE) verify package-files
	@tools/bill/bill.sh bills
	@cd dist && find . -type f ! -name SHA256SUMS | sed 's#^\./##' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS

notices: ## write THIRD_PARTY_NOTICES.md, for what is linked into the plugin
	@tools/toolchain.sh
	@tools/bill/bill.sh notices

package-files:
	@rm -f dist/SHA256SUMS
	@tools/each.sh package
	@cd sandbox && CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o ../dist/rostering-sandbox ./cmd/rostering-sandbox
	@for platform in linux darwin windows; do for arch in amd64 arm64; do \
		ending=$$([ $$platform != windows ] || echo .exe) ; \
		GOOS=$$platform GOARCH=$$arch CGO_ENABLED=0 go build -C cli -trimpath -buildvcs=false \
			-ldflags=-s -o ../dist/rostering-$$platform-$$arch$$ending ./cmd/rostering ; done ; done
	@cp plugin/*.wasm docs/contract.schema.json LICENSE THIRD_PARTY_NOTICES.md dist
	@sed 's#"plugin/#"#' docs/manifest.json >dist/manifest.json

test-packages: package-files build/sandbox ## install and use each package as its user does, in an empty folder
	@tools/each.sh test-package

site: ## build the pages, with search and API references, in build/site/html; HOSTS=python,go limits the references
	@tools/site/site.sh $(filter go javascript python java rust c,$(subst node,javascript,$(WANTED)))

reproducible: ## make the packages of the last commit in two clones and compare their bytes: 7 minutes
	@tools/release.sh reproducible

release-check: ## rehearse the release of the last commit, with each registry's own checks; publishes nothing: 6 minutes
	@tools/setup.sh release
	@tools/release.sh check

audit: ## look up the dependencies in the database of known vulnerabilities, osv.dev
	@GOTOOLCHAIN=auto go run github.com/google/osv-scanner/v2/cmd/osv-scanner@v2.6.0 scan source --recursive .

# go test -fuzz takes one target at a time.
fuzz: ## fuzz each parser, and the built files; FUZZTIME=10m sets the time for each parser
	@mkdir -p build
	@grep -rEo '^func Fuzz[A-Za-z]+' --include='*_test.go' plugin tests/plugin | sed -E 's#(.*)/[^/]*:func (.*)#\1 \2#' | sort | \
		while read -r package target; do \
			time=$(FUZZTIME) ; [ "$$package" != tests/plugin ] || time=$(BUILT_FUZZTIME) ; \
			echo "fuzzing $$target of $$package for $$time" ; \
			go test -C "$$package" -run '^$$' -fuzz "^$$target\$$" -fuzztime $$time >build/fuzz.log 2>&1 || { cat build/fuzz.log ; exit 1 ; } ; \
		done

$(STATICCHECK): Makefile
	@GOBIN=$(CURDIR)/$(@D) go install honnef.co/go/tools/cmd/staticcheck@v0.7.0

check: setup-check $(STATICCHECK) ## check the format of all code, and lint it
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l) ; [ -z "$$unformatted" ] || { echo "make format: $$unformatted" ; exit 1 ; }
	@for module in $(MODULES); do \
		echo "checking the module $$module" ; \
		(cd $$module && go vet ./... && $(CURDIR)/$(STATICCHECK) ./... && go mod tidy -diff) || exit 1 ; \
	done
	@GOOS=plan9 go build ./sdk/go # whose system errors are of other types
	@plugin/vet.sh $(CURDIR)/$(STATICCHECK)
	@cd tests && go test -count=1 -run TestMessages ./docs
	@tools/each.sh check
	@go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
	@grep -q '^scripts: ' build/skipped || git ls-files -co --exclude-standard '*.sh' .ci/run | xargs shellcheck -S warning
	@$(SKIPPED)

format: setup-check ## format all code
	@git ls-files -co --exclude-standard '*.go' | xargs gofmt -w
	@tools/each.sh format

matrix: ## write the tables of pages, from the rules and the schema
	@cd tests && go test -count=1 -run Tables ./runner -update

bench: ## measure first and warm calls of each library against its bare HTTP client, and clients
	@tools/each.sh adapter
	@cd tests && go run ./bench

COSTS := sdk/python/.venv/bin/python tests/bench/check/check.py
LINEAR := sdk/python/.venv/bin/python tests/bench/check/linear.py
BASELINE := tests/bench/check/baseline.tsv
bench-check: ## compare the plugin's bytes, host calls, memory and operators with a baseline, and check that all texts take linear time
	@sdk/python/tasks.sh setup || { status=$$? ; [ $$status = 69 ] && [ "$${CI:-}" != true ] && exit ; exit $$status ; } ; \
		$(COSTS) | diff -U0 $(BASELINE) - || { echo "if the new costs are worth it: make bench-baseline, and commit it" >&2 ; exit 1 ; }
	@[ ! -x $(firstword $(LINEAR)) ] || $(LINEAR)

bench-baseline: build ## rewrite that baseline
	@sdk/python/tasks.sh setup
	@$(COSTS) >$(BASELINE)

stress: build/sandbox ## cancel, close and fail at random in each library for STRESS_SECONDS=60
	@cd tests && CHECKED=1 STRESS_SECONDS=$${STRESS_SECONDS:-60} go test -count=1 -timeout 60m -v -run TestStress ./runner

# Vet, unit tests, random sequences and the rules on the core, and what is easily forgotten: a key in
# the schema and the pages, the heading of the CHANGELOG, the size. No other language is needed.
core: ## test the core alone, in a minute
	@go vet ./plugin/... && go test -short ./plugin/...
	@cd tests && go test -short ./model && go test -count=1 -run 'TestPlugin/go/core|Schema' ./runner && go test -count=1 -run 'Schema|Version|Options' ./docs
	@if tools/toolchain.sh; then $(MAKE) --no-print-directory size; else echo "skipped: the size, as the plugin cannot be built here"; fi

# TestRandom prints the shortest sequence that shows what it finds; SEED=N starts another sequence.
# TestDefects plants known defects in the core, which TestRandom must find.
SEED ?= 1
STEPS ?= 10000000
simulate: ## compare the core with its model in ten million random steps, and play fleets with four seeds
	@cd tests && go test -count=1 -timeout 0 -v -run 'Test(Random|Defects|FleetOutages)$$' ./model -args -defects -seeds 4 -seed $(SEED) -steps $(STEPS)

size: $(BUILDS) ## print the size of each build, and fail above its limit
	@wc -c $(BUILDS) | awk -v extism=$(LIMIT) -v core=$(CORE_LIMIT) '$$2 != "total" { \
		limit = $$2 ~ /core/ ? core : extism; print $$2 ": " $$1 " bytes of " limit; \
		if ($$1 > limit) over = 1 } END { exit over }'

clean: ## remove what was built; TinyGo stays in your cache folder
	rm -rf build dist
