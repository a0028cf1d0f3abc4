// How the tests of every package run: from source, as modules.
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const target = { target: 'es2023' }
const jsx = { runtime: 'automatic', importSource: 'preact' }

export default {
  testEnvironment: 'node',
  testMatch: ['**/src/**/*.test.ts', '**/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, ...target }, module: { type: 'es6' } }],
    '^.+\\.tsx$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript', tsx: true }, transform: { react: jsx }, ...target },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: {
    '^fast-check$': `${repository}/scripts/testing/fast-check.ts`,
    '^@dogwatch/check-rules/(definition|fields|pattern|target)$': `${repository}/packages/check-rules/src/$1.ts`,
    '^@dogwatch/contract/(monitor|account)$': `${repository}/packages/contract/src/$1.gen.ts`,
    '^@dogwatch/account-sdk/webhooks$': `${repository}/packages/account-sdk/src/webhooks.ts`,
    '^@dogwatch/(monitor|account)-sdk$': `${repository}/packages/$1-sdk/src/index.ts`,
  },
}
