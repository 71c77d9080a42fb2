/**
 * Whether a build of the plugin imports WASI, and so has a clock.
 *
 * @param {WebAssembly.Module} module
 */
export function usesWasi(module) {
  return WebAssembly.Module.imports(module).some((i) => i.module === 'wasi_snapshot_preview1');
}

/** The time in Unix seconds. */
export const now = () => Math.floor(Date.now() / 1000);
