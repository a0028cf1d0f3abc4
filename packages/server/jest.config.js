// How the tests run: from source, one throwaway Postgres for all of them, a database of its own for each that asks.
export default {
  testEnvironment: 'node',
  roots: [
    '<rootDir>/src',
    '<rootDir>/test',
    '<rootDir>/../check-rules/src',
    '<rootDir>/../monitor-sdk/src',
    '<rootDir>/../account-sdk/src',
    '<rootDir>/../agent/src',
    '<rootDir>/../agent/test',
  ],
  testMatch: ['**/src/**/*.test.ts', '**/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts', '.tsx'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } },
    ],
    '^.+\\.tsx$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', tsx: true },
          transform: { react: { runtime: 'automatic', importSource: 'preact' } },
          target: 'es2023',
        },
        module: { type: 'es6' },
      },
    ],
  },
  moduleNameMapper: {
    '^fast-check$': '<rootDir>/../../scripts/jest/fast-check.ts',
    '^@dogwatch/check-rules/(definition|pattern|target)$': '<rootDir>/../check-rules/src/$1.ts',
    '^@dogwatch/contract/(monitor|account)$': '<rootDir>/../contract/src/$1.gen.ts',
    '^@dogwatch/account-sdk/webhooks$': '<rootDir>/../account-sdk/src/webhooks.ts',
    '^@dogwatch/(monitor|account)-sdk$': '<rootDir>/../$1-sdk/src/index.ts',
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  // Much of the time of two is spent waiting: for schedules, for the disk, for other processes.
  maxWorkers: 3,
  // For what never ends; a busy machine takes its time.
  testTimeout: 180_000,
}
