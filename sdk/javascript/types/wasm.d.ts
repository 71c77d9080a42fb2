/**
 * `WebAssembly.Module`, which Node's types do not have.
 */
type WasmModule = typeof globalThis extends {
    WebAssembly: {
        Module: abstract new (...args: any) => infer Module;
    };
} ? Module : object;

/** The plugin, where the import of a .wasm file compiles it, as in a Worker. */
declare const plugin: WasmModule;

export { plugin as default };
