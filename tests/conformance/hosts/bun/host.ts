// The host adapter: the one of ../../node, with the SDK that package.json names.
import '../../node/conformance/host.js';
