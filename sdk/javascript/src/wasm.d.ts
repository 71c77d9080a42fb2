/** The plugin, as a bundler imports a .wasm file: a module in a Worker, or bytes, or its path. */
declare const plugin: string | Uint8Array<ArrayBuffer> | import('./options.js').WasmModule;
export default plugin;
