// Command inspect prints what is in files of the plugin: version and contract, size, imports
// and exports.
//
//	go run ./cmd/inspect FILE ...
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := inspect(context.Background(), os.Stdout, path); err != nil {
			fmt.Fprintf(os.Stderr, "inspect %s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

// inspect writes what is in a file.
func inspect(ctx context.Context, w io.Writer, path string) error {
	wasm, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	v, err := versionOf(ctx, wasm)
	if err != nil {
		return err
	}
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer func() { _ = runtime.Close(ctx) }()
	module, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s\n  version %s, contract %d, %d bytes\n", filepath.Base(path), v.Version, v.Contract, len(wasm))
	text += line("exports", slices.Collect(maps.Keys(module.ExportedFunctions())))
	imports := map[string][]string{}
	for _, f := range module.ImportedFunctions() {
		from, name, _ := f.Import()
		imports[from] = append(imports[from], name)
	}
	for _, from := range slices.Sorted(maps.Keys(imports)) {
		text += line("imports from "+from, imports[from])
	}
	_, err = io.WriteString(w, text)
	return err
}

func line(what string, names []string) string {
	slices.Sort(names)
	return "  " + what + ": " + strings.Join(names, ", ") + "\n"
}

// version is the output of the export version.
type version struct {
	Version  string `json:"version"`
	Contract int    `json:"contract"`
}

func versionOf(ctx context.Context, wasm []byte) (v version, err error) {
	plugin, err := extism.NewPlugin(ctx, extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}},
		extism.PluginConfig{EnableWasi: true, RuntimeConfig: wazero.NewRuntimeConfigInterpreter()}, nil)
	if err != nil {
		return v, err
	}
	defer func() { _ = plugin.Close(ctx) }()
	_, output, err := plugin.Call("version", nil)
	if err != nil {
		return v, fmt.Errorf("the file is not a build of the plugin: %w", err)
	}
	return v, json.Unmarshal(output, &v)
}
