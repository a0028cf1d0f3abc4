// One throwaway Postgres for all tests of the server, and a database of its own for each that asks.
import base from '../../scripts/testing/base.js'

export default {
  ...base,
  roots: ['<rootDir>/src', '<rootDir>/test'],
  moduleNameMapper: {
    ...base.moduleNameMapper,
    // Most of what a sign-in does.
    '^argon2$': '<rootDir>/test/support/argon2.ts',
  },
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
}
