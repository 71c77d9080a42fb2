import js from '@eslint/js';
import globals from 'globals';

export default [{ ignores: ['build'] }, js.configs.recommended, { languageOptions: { globals: globals.nodeBuiltin } }];
