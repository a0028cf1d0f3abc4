// The environment of a test file: none of its own. Tests run in Node as the product does, and not in a sandbox.

module.exports = class NativeEnvironment {
  // What jest sets for a test file stays here; native-runtime.cjs hands tests what they need of it.
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
