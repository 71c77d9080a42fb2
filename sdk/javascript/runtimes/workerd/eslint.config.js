import js from '@eslint/js';
import ts from 'typescript-eslint';

export default [
  { ignores: ['.wrangler', 'package'] },
  js.configs.recommended,
  { rules: { 'no-undef': 'off' } }, // tsc knows the globals
  ...ts.configs.recommendedTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  { languageOptions: { parserOptions: { projectService: true } } },
];
