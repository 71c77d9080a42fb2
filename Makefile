# make help tells the targets. Each does what it needs first.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --warn-undefined-variables --no-builtin-rules
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:

# The builds of the plugin, and their limit in bytes.
PLUGINS := dist/rostering.wasm dist/rostering-nowasi.wasm
LIMIT := 60000

TINYGO_FLAGS := -no-debug -panic=trap -opt=z
WASM_FEATURES := --enable-bulk-memory --enable-mutable-globals --enable-nontrapping-float-to-int --enable-sign-ext
# TinyGo's runtime exports these. wasm-metadce would take them out too, but changes
# the order of the imports, which matters: see plugin/imports.go.
UNWANTED := fminimumf?|fmaximumf?|syscall\.seek
SOURCES := go.mod go.sum Makefile $(wildcard plugin/*.go) \
	$(filter-out %_test.go,$(wildcard plugin/internal/*/*.go))

.PHONY: help
help: ## tell the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 16

.PHONY: build
build: $(PLUGINS) ## build the plugin: dist/rostering.wasm, dist/rostering-nowasi.wasm

build/target.json: plugin/target.json plugin/toolchain.sh
	@plugin/toolchain.sh build

# The builds for tests fill the heap with a pattern between calls.
dist/rostering.wasm: TAGS :=
dist/rostering-nowasi.wasm: TAGS := nowasi
build/rostering-poison.wasm: TAGS := poison
build/rostering-nowasi-poison.wasm: TAGS := nowasi poison

dist/rostering.wasm dist/rostering-nowasi.wasm build/rostering-poison.wasm build/rostering-nowasi-poison.wasm: build/target.json $(SOURCES)
	@echo "building $@"
	@mkdir -p $(@D)
	@build/tinygo build -target build/target.json -tags '$(TAGS)' $(TINYGO_FLAGS) -o build/$(@F).raw ./plugin
	@wasm-dis build/$(@F).raw | grep -vE '^ \(export "($(UNWANTED))"' >build/$(@F).wat
	@wasm-as $(WASM_FEATURES) build/$(@F).wat -o build/$(@F).trimmed
	@wasm-opt -Oz $(WASM_FEATURES) build/$(@F).trimmed -o $@

.PHONY: size
size: build ## tell the size of each build, and fail above the limit
	@wc -c $(PLUGINS) | awk -v limit=$(LIMIT) '$$2 != "total" { print $$2 ": " $$1 " bytes of " limit; if ($$1 > limit) over = 1 } END { exit over }'

.PHONY: clean
clean: ## remove what was built; TinyGo stays in the user's cache folder
	rm -rf build dist
