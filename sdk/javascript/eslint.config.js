import js from '@eslint/js';
import ts from 'typescript-eslint';

export default [
  { ignores: ['**/build/', '**/types/', '**/.wrangler/'] },
  js.configs.recommended,
  { rules: { 'no-undef': 'off' } }, // tsc knows the globals
  ...ts.configs.strict.map((config) => ({ ...config, files: ['**/*.ts'] })),
];
