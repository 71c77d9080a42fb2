// ../node/rostering imports the SDK by its name, and Bun would look for it there. This provides the one of this
// folder. A program that contains the folder rostering does not need this.

import { plugin } from 'bun';
import * as sdk from 'extism';

plugin({
  name: 'sdk',
  setup(build) {
    build.module('extism', () => ({ exports: sdk, loader: 'object' }));
  },
});
