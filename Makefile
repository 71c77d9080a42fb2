# make help lists the targets. Each one first makes what it needs.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules --no-print-directory
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
TINYGO_FLAGS := -no-debug -panic=trap -opt=z
WASM_FEATURES := --enable-bulk-memory --enable-mutable-globals \
	--enable-nontrapping-float-to-int --enable-sign-ext
# Structured anew, the code is half a kilobyte smaller. The stack comes first in memory, so no
# pointer is below 1024.
WASM_OPT := --low-memory-unused --flatten --rereloop -Oz -Oz
# TinyGo's runtime exports these. wasm-metadce would remove them, too, but it changes the
# order of the imports, which matters: see plugin/imports.go. No build needs _initialize, but some
# of Extism's SDKs expect it.
UNWANTED := fminimumf?|fmaximumf?|syscall\.seek
build/rostering-core.wasm: UNWANTED := $(UNWANTED)|_initialize
SOURCES := go.mod go.sum Makefile plugin/target.json $(wildcard plugin/*.go) \
	$(filter-out %_test.go,$(wildcard plugin/core/*/*.go))

# Go's compiler and tests collect garbage less often: it took a fifth of their time.
test check packages: export GOGC ?= 400

MODULES := tests . sandbox cli sdk/go/redisstore host-example/go
# HOSTS=python,c limits the tests to some languages; javascript is all of its runtimes.
HOSTS ?=
LANGUAGES := $(subst runtimes/,,$(shell cat tools/languages.txt))
comma := ,
override HOSTS := $(subst javascript,node$(comma)deno$(comma)bun$(comma)workerd,$(HOSTS))
export HOSTS
WANTED := $(or $(foreach name,$(subst $(comma), ,$(HOSTS)),$(or \
	$(filter $(name) %/$(name),$(LANGUAGES)), \
	$(error HOSTS: unknown language $(name); use some of javascript $(notdir $(LANGUAGES))))), \
	$(LANGUAGES))
FOLDERS := $(sort $(foreach language,$(WANTED),$(firstword $(subst /, ,$(language)))))
# The verbs of tasks.sh, each with a language, and some with a runtime of JavaScript.
CHECKS := $(FOLDERS:%=check/%)
PACKAGES := $(FOLDERS:%=package/%)
TESTS := $(WANTED:%=test/%)
PACKAGE_TESTS := $(WANTED:%=test-package/%)
FORMATS := $(FOLDERS:%=format/%)
TASKS := $(CHECKS) $(PACKAGES) $(TESTS) $(PACKAGE_TESTS) $(FORMATS) \
	$(LANGUAGES:%=setup/%) $(LANGUAGES:%=adapter/%)
PARALLEL := $(MAKE) -j2 --output-sync=target

# Targets with a description make no file of their name, and neither do these.
.PHONY: $(shell sed -nE 's/^([a-z-]+):.*## .*/\1/p' Makefile) $(TASKS) $(MODULES:%=module/%)
.PHONY: run-javascript $(addprefix run-,$(notdir $(LANGUAGES))) docs/sandbox.png
.PHONY: all-tests package-files setup-test setup-check check/scripts sums
help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 22
	@echo "  make run-LANG       run the program jobs in a language: $(notdir $(LANGUAGES))"
	@echo "HOSTS=python,javascript limits tests, checks and packages to some languages."

build: $(BUILDS) build/rostering-core.js ## build the plugin, and write it into the repository
	@for file in $(PLUGINS); do \
		cmp -s "build/$${file##*/}" "$$file" || cp -v "build/$${file##*/}" "$$file" ; done

verify: $(BUILDS) build/rostering-core.js ## compare the plugin in the repository with a build
	@sha256sum $(BUILDS) $(PLUGINS)
	@for file in $(PLUGINS); do cmp -s "build/$${file##*/}" "$$file" || \
		{ echo "$$file is not what the sources give: run make build and commit" >&2 ; exit 1 ; } ; done

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
	@echo "// Made by make build: rostering-core.wasm in base64." >$@
	@echo "export default '$$(base64 -w0 $<)';" >>$@

$(BUILDS) build/rostering-poison.wasm: tools/toolchain.sh $(SOURCES)
	@tools/toolchain.sh
	@echo "building $@"
	@build/tinygo build -target plugin/target.json -tags '$(TAGS)' $(TINYGO_FLAGS) -o $@.raw ./plugin
	@wasm-dis $@.raw | grep -vE '^ \(export "($(UNWANTED))"' >$@.wat
	@wasm-as $(WASM_FEATURES) $@.wat -o $@.trimmed
	@wasm-opt $(WASM_OPT) $(WASM_FEATURES) $@.trimmed -o $@.optimized
	@mv $@.optimized $@ # atomically: another process may be reading the old file

run: ## watch the plugin at work with a mock service
	@cd tests && go run ./cmd/demo

# Against the sandbox, or the real service if ROSTERING_* are set.
ROSTERING_CLIENT_ID ?=
run-javascript: run-node
$(addprefix run-,$(notdir $(LANGUAGES))): run-%: build/sandbox
	@CI=true $(MAKE) -s $(filter setup/$* setup/%/$*,$(TASKS))
	@$(if $(ROSTERING_CLIENT_ID),,build/sandbox) host-example/run.sh $* jobs

PORT ?= 0
sandbox: build/sandbox ## run a mock service to develop against; PORT=8080 sets its port
	@build/sandbox -port $(PORT)

docs/sandbox.png: ## take the screenshot of that page
	@cd tests && CI=true SCREENSHOT=$(CURDIR)/$@ go test -count=1 -run TestPage ./page

run-fleet: ## run a fleet on one Redis server, and on one folder: one token each
	@cd tests && CI=true go test -count=1 -v -run TestFleet ./runner

build/sandbox: $(wildcard sandbox/* sandbox/cmd/*/*)
	@go build -C sandbox -o $(CURDIR)/$@ ./cmd/rostering-sandbox

# What tests or checks need, as far as apt has it. They end with a line for each part that was
# skipped because something is missing; with CI=true that is an error.
SKIPPED := sed 's/^/skipped: /' build/skipped
NAMES := $(notdir $(WANTED))
NEEDED_FOR_test := plugin python redis postgres page ffi
NEEDED_FOR_check := $(filter c-check rust-check,$(NAMES:=-check)) scripts
setup-test setup-check: setup-%:
	@mkdir -p build
	@tools/setup.sh $(NAMES) $(NEEDED_FOR_$*) >build/skipped || [ $$? = 69 ]
	@$(SKIPPED)
	@[ "$${CI:-}" != true ] || [ ! -s build/skipped ] || \
		{ echo "CI=true: nothing may be skipped" >&2 ; exit 1 ; }

# A verb of a language's tasks.sh. Status 69 means that something is missing. The jobs of this make
# are not those of a make that it runs.
$(TASKS):
	@set -- $(subst /, ,$@) ; MAKEFLAGS='' sdk/$$2/tasks.sh $$1 $${3:-} || { [ $$? = 69 ] && \
		[ "$${CI:-}" != true ] && echo "$@: see its output" >>build/skipped ; } && echo "$@: $$SECONDS s"

$(MODULES:%=module/%) $(TESTS): build/sandbox

# -count=1: the test cache does not notice that the plugin has changed. make check vets.
$(MODULES:%=module/%):
	@cd $(@:module/%=%) && go test -count=1 -vet=off -timeout 30m -parallel 6 \
		$(if $(filter %/tests,$@),./runner) ./... && echo "$@: $$SECONDS s"

test: setup-test build/sandbox ## run all tests
	@grep -q '^plugin: ' build/skipped || $(PARALLEL) verify size $(TEST_PLUGINS)
	@$(PARALLEL) $(PACKAGES)
	@$(PARALLEL) all-tests
	@$(SKIPPED)

# First what takes longest.
all-tests: $(MODULES:%=module/%) $(PACKAGE_TESTS) $(TESTS) bench-check

test-libraries: build/truncated.wasm $(FAULTY) ## test the libraries alone
	@$(PARALLEL) $(TESTS)
	@cd tests && go test -count=1 -timeout 30m -run TestLibraries ./runner

# Says all that is missing before anything is built.
packages: ## make the packages, the sandbox, the command and bills of materials in dist
	@tools/setup.sh plugin $(NAMES) >&2 || { echo "nothing was built; HOSTS=python,go makes \
	the packages of these alone" >&2 ; exit 1 ; }
	@$(PARALLEL) verify package-files
	@tools/bill/bill.sh bills
	@$(MAKE) sums

sums:
	@cd dist && find . -type f ! -name SHA256SUMS | sed 's#^\./##' | LC_ALL=C sort | \
		xargs sha256sum >SHA256SUMS

notices: ## write THIRD_PARTY_NOTICES.md, for what is linked into the plugin
	@tools/toolchain.sh
	@tools/bill/bill.sh notices

COMMANDS := $(foreach os,linux darwin windows,$(os)-amd64 $(os)-arm64)
package-files: build/sandbox $(PACKAGES) $(COMMANDS:%=dist/rostering-%)
	@mkdir -p dist
	@rm -f dist/SHA256SUMS
	@CGO_ENABLED=0 go build -C sandbox $(STRIPPED) -o $(CURDIR)/dist ./cmd/rostering-sandbox
	@cp plugin/*.wasm docs/contract.schema.json LICENSE THIRD_PARTY_NOTICES.md dist
	@sed 's#"plugin/#"#' docs/manifest.json >dist/manifest.json

STRIPPED := -trimpath -buildvcs=false -ldflags=-s
$(COMMANDS:%=dist/rostering-%): dist/rostering-%:
	@CGO_ENABLED=0 GOOS=$(firstword $(subst -, ,$*)) GOARCH=$(lastword $(subst -, ,$*)) \
		go build -C cli $(STRIPPED) -o $(CURDIR)/$@$(if $(findstring windows,$*),.exe) ./cmd/rostering

test-packages: build/sandbox $(PACKAGES) ## use each package as its user does, in an empty folder
	@$(PARALLEL) $(PACKAGE_TESTS)

site: ## build the pages, with search and API references, in build/site/html
	@tools/site/site.sh $(FOLDERS)

reproducible: ## compare the bytes of the packages of two clones of the last commit: 7 minutes
	@tools/release.sh reproducible

release-check: ## rehearse the release of the last commit, and publish nothing: 6 minutes
	@tools/setup.sh release
	@tools/release.sh check

audit: ## look up the dependencies in the database of known vulnerabilities, osv.dev
	@GOTOOLCHAIN=auto go run github.com/google/osv-scanner/v2/cmd/osv-scanner@v2.6.0 \
		scan source --recursive .

# A number of inputs, which takes most targets some seconds, of each parser, and of the built files,
# which cannot guide the fuzzer. A time such as 10m works, too, but before Go 1.27 it may end in
# "context deadline exceeded" (go.dev/issue/75804). go test -fuzz takes one target at a time.
FUZZTIME ?= 10000x
BUILT_FUZZTIME ?= 300x
fuzz: ## fuzz each parser, and the built files; FUZZTIME=10m sets the time for each parser
	@mkdir -p build
	@git grep -Eo '^func Fuzz[A-Za-z]+' '*_test.go' | sed -E 's#(.*)/[^/]*:func (.*)#\1 \2#' | \
		while read -r package target; do \
			time=$(FUZZTIME) ; [ "$$package" != tests/plugin ] || time=$(BUILT_FUZZTIME) ; \
			go test -C "$$package" -run '^$$' -fuzz "^$$target\$$" -fuzztime $$time >build/fuzz.log 2>&1 || \
				{ echo "$$target of $$package" ; cat build/fuzz.log ; exit 1 ; } ; \
		done

check: setup-check ## check the format of all code, and lint it
	@$(PARALLEL) $(CHECKS) check/scripts
	@$(SKIPPED)

check/scripts:
	@go run github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
	@grep -qs '^scripts: ' build/skipped || \
		git ls-files -co --exclude-standard '*.sh' .ci/run | xargs shellcheck -S warning
	@! git ls-files -co --exclude-standard '*.sh' '*.yml' '*.yaml' '*Makefile' .ci/run \
		':!tests/rules' | \
		xargs grep -nE '^.{101}' || { echo "a line has more than 100 columns" >&2 ; exit 1 ; }

format: setup-check $(FORMATS) ## format all code

matrix: ## write the tables of pages, from the rules and the schema
	@cd tests && go test -count=1 -run Tables ./runner -update

bench: $(WANTED:%=adapter/%) ## measure each library against its bare HTTP client
	@cd tests && go run ./bench

PYTHON := sdk/python/.venv/bin/python
BASELINE := tests/bench/check/baseline.tsv
bench-check: setup/python ## compare the plugin's costs with a baseline, and long texts'
	@[ ! -x $(PYTHON) ] || $(PYTHON) tests/bench/check/check.py | diff -U0 $(BASELINE) - || \
		{ echo "if the new costs are worth it: make bench-baseline, and commit it" >&2 ; exit 1 ; }
	@[ ! -x $(PYTHON) ] || $(PYTHON) tests/bench/check/linear.py

bench-baseline: build setup/python ## rewrite that baseline
	@$(PYTHON) tests/bench/check/check.py >$(BASELINE)

export STRESS_SECONDS ?= 60
stress: build/sandbox ## cancel, close and fail at random in each library for STRESS_SECONDS=60
	@cd tests && CHECKED=1 go test -count=1 -timeout 60m -v -run TestStress ./runner

# Vet, unit tests, random sequences and the rules on the core, and what is easily forgotten: a key
# in the schema and the pages, the heading of the CHANGELOG, the size. No other language is needed.
core: ## test the core alone, in a minute
	@go vet ./plugin/... && go test -short ./plugin/...
	@cd tests && go test -short ./model
	@cd tests && go test -count=1 -run 'TestPlugin/go/core|Schema' ./runner
	@cd tests && go test -count=1 -run 'Schema|Version|Options' ./docs
	@if tools/toolchain.sh; then $(MAKE) size; else echo "skipped: the size"; fi

# TestRandom prints the shortest sequence that shows what it finds; SEED=N starts another sequence.
# TestDefects plants known defects in the core, which TestRandom must find.
SEED ?= 1
STEPS ?= 10000000
simulate: ## check the core's invariants in ten million random steps, and find planted defects
	@cd tests && go test -count=1 -timeout 0 -v -run 'Test(Random|Defects|FleetOutages)$$' \
		./model -args -defects -seeds 4 -seed $(SEED) -steps $(STEPS)

size: $(BUILDS) ## print the size of each build, and fail above its limit
	@wc -c $(BUILDS) | awk -v extism=$(LIMIT) -v core=$(CORE_LIMIT) '$$2 != "total" { \
		limit = $$2 ~ /core/ ? core : extism; print $$2 ": " $$1 " bytes of " limit; \
		if ($$1 > limit) over = 1 } END { exit over }'

clean: ## remove what was built; TinyGo stays in your cache folder
	rm -rf build dist
