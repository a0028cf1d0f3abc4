// Configures jest for all packages: tests run from source, as modules, in plain Node (native-runtime.cjs).
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

export default {
  testEnvironment: `${repository}/scripts/testing/native-environment.cjs`,
  runtime: `${repository}/scripts/testing/native-runtime.cjs`,
  testMatch: ['**/src/**/*.test.ts', '**/test/**/*.test.ts'],
  // Applies only to what jest itself loads, before and after all tests.
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } },
    ],
  },
  moduleNameMapper: {
    '^fast-check$': `${repository}/scripts/testing/fast-check.ts`,
    // Replaces argon2 with a cheaper one, because hashing is most of the work of a sign-in.
    '^argon2$': `${repository}/scripts/testing/argon2.ts`,
    '^@dogwatch/(alerting|api|channels|check-rules|console|domain|embedded-postgres|runtime|store)/([a-z/-]+)$': `${repository}/packages/$1/src/$2.ts`,
    '^@dogwatch/contract/(monitor|account|config)$': `${repository}/packages/contract/src/$1.gen.ts`,
    '^#rules/([a-z]+)$': `${repository}/packages/check-rules/src/$1.ts`,
    '^#core/([a-z]+)$': `${repository}/packages/monitor-sdk/src/core/$1.ts`,
    '^@dogwatch/monitor-sdk/agent$': `${repository}/packages/monitor-sdk/src/agent.ts`,
    '^@dogwatch/account-sdk/webhooks$': `${repository}/packages/account-sdk/src/webhooks.ts`,
    '^@dogwatch/(monitor|account|config)-sdk$': `${repository}/packages/$1-sdk/src/index.ts`,
  },
}
