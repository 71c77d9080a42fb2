/** The plugin as a bundler imports a .wasm file: in a Worker as a module, otherwise as bytes or a path. */
declare const plugin: string | Uint8Array | import('./options.js').WasmModule;
export default plugin;
