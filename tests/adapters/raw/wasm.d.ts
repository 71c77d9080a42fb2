// A file that a Worker imports.
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
