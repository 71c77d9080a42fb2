// The tests of the library, on Bun.
import '../../node/test/client.test.js';
import '../../node/test/store.test.js';
import '../../node/test/waits.test.js';
import '../../node/test/with-token.test.js';
