// ../node/rostering imports the SDK by its name, and Bun would look for it there. This gives it the one of this
// folder. In a program that has the folder rostering within itself there is no need for it.

import { plugin } from 'bun';
import * as sdk from 'extism';

plugin({
  name: 'sdk',
  setup(build) {
    build.module('extism', () => ({ exports: sdk, loader: 'object' }));
  },
});
