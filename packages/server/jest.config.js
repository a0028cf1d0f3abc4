// One throwaway Postgres for all tests of the server, and a database of its own for each that asks.
import base from '../../scripts/testing/base.js'

export default {
  ...base,
  roots: ['<rootDir>/src', '<rootDir>/test'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
}
