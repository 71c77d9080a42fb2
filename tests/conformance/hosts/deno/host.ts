// The host adapter: the one of ../../node, with the SDK that deno.json names.
import '../../node/conformance/host.js';
