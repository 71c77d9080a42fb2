// The direct form: see ../node/minimal.js, which runs as it is.
import '../node/minimal.js';
