// What the compiler and the formatter do not see. Every rule switched off says why.
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

export default defineConfig(
  // *.types.ts are the mistakes themselves: the compiler is their test.
  {
    ignores: [
      '**/*.types.ts',
      '**/dist/',
      '**/*.gen.ts',
      '**/generated.ts',
      '**/node_modules/',
      '.cache/',
      '.dogwatch/',
    ],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: [
          'packages/server/tsconfig.test.json',
          'packages/*-sdk/test/tsconfig.json',
          'packages/agent/test/tsconfig.json',
          'scripts/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // Handlers and stubs are async by their type, with or without something to wait for.
      '@typescript-eslint/require-await': 'off',
      // Numbers read well in messages.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Express and Node take async functions where they say void; Express 5 waits for them.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // `void (await x)` says that an answer is thrown away on purpose.
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // Promises are rejected with an abort signal's own reason, whatever that is.
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/use-unknown-in-catch-callback-variable': 'off',
      // `Record<never, never>` asks whether a type demands anything at all.
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      // Clocks and sources of chance are plain functions in an object.
      '@typescript-eslint/unbound-method': 'off',
      // `return` before a call that returns nothing ends a function in one line.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // `type` says "a record" where an interface could not.
      '@typescript-eslint/consistent-type-definitions': 'off',
    },
  },
  {
    // Tests read JSON that has no type, and say what they expect of it.
    files: ['**/*.test.ts', '**/test/**', '**/examples/**', 'scripts/bench/**', 'scripts/lab/**', 'scripts/prove/**'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
    },
  },
)
