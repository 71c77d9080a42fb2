import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import ts from 'typescript-eslint';

export default defineConfig({ ignores: ['runtime'] }, js.configs.recommended, ts.configs.strict);
