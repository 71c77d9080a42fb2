// The reference of the package, which goes to build/reference. A warning is an error.

import { OptionDefaults } from 'typedoc';

export default {
  blockTags: [...OptionDefaults.blockTags, '@implements'], // which TypeScript knows
  disableSources: true,
  entryPoints: ['src/index.js', 'src/file-store.js', 'src/redis-store.js'],
  excludePrivate: true,
  excludeTags: ['@implements'],
  out: 'build/reference',
  readme: 'none',
  requiredToBeDocumented: ['Class', 'Variable', 'Accessor'],
  treatWarningsAsErrors: true,
  validation: { invalidLink: true, notDocumented: true, notExported: true },
};
