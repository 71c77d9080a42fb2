/** The plugin, where the import of a .wasm file compiles it, as in a Worker. */
declare const plugin: import('./options.js').WasmModule;
export default plugin;
