// Defines an environment for test files that adds nothing: tests run in Node as the product does, and not in a sandbox.

module.exports = class NativeEnvironment {
  // Receives the variables that jest sets for a test file. native-runtime.cjs passes on those that tests need.
  global = {}
  context = null
  fakeTimers = null
  fakeTimersModern = null
  moduleMocker = null

  async setup() {}
  async teardown() {}
  exportConditions() {
    return ['node']
  }
  getVmContext() {
    return null
  }
}
