// One throwaway Postgres for all tests, and a database of its own for each that asks.
import base from '../../scripts/testing/base.js'

export default {
  ...base,
  roots: ['<rootDir>/src', '<rootDir>/test'],
  globalSetup: '<rootDir>/../api/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/../api/test/support/global-teardown.ts',
}
