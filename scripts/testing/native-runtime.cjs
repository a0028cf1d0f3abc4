// How test files are loaded: by Node itself, with the names that base.js and the packages' configurations map.
//
// Jest's own runtime loads every module anew for each test file, in a sandbox, without any cache: that was most of the time of most
// files. Here a worker loads what the product is made of once. What tests are made of is loaded anew for each test file, since it
// remembers: hooks that it registers, counters, servers to close.
const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { flushCompileCache, registerHooks, stripTypeScriptTypes } = require('node:module')
const { join } = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')

const CIRCUS = require.resolve('jest-circus/runner').replace(/runner\.js$/, 'jestAdapterInit.js')
const GLOBALS = Symbol.for('dogwatch.jest-globals')
const NAMES = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it', 'jest', 'test']
const GLOBALS_SOURCE = `export const { ${NAMES.join(', ')} } = globalThis[Symbol.for('dogwatch.jest-globals')]`

/** Number of lines of a stack. It is more than Node's default of ten, so that a failure shows the line of its test. */
const STACK_LINES = 20

/** Number of the test file that this worker is running. */
let turn = 0
/** @type {[RegExp, string][]} */
let mapped = []
let isAnew = /(?:)/
let isHooked = false

module.exports = class NativeRuntime {
  constructor(config) {
    turn++
    isAnew = LOADED_ONCE.test(config.rootDir) ? TESTS : OURS
    mapped = config.moduleNameMapper.map(([from, to]) => [new RegExp(from), to])
    this.jest = fakeTimersOf(config)
    if (!isHooked) registerHooks({ resolve, load })
    isHooked = true
  }

  /** Loads the test framework again for each test file, because the framework keeps the tests of a file. */
  requireInternalModule(path) {
    delete require.cache[CIRCUS]
    delete globalThis[Symbol.for('EVENT_HANDLERS')]
    return require(path)
  }

  setGlobalsForRuntime(globals) {
    globalThis[GLOBALS] = { ...globals, jest: this.jest }
    globalThis.expect = globals.expect
  }

  unstable_shouldLoadAsEsm() {
    return true
  }

  async unstable_importModule(path) {
    // Turns off jest's search for source maps, of which there are none. It would cost time for each line of each stack, and some
    // libraries take a stack at each call.
    Error.prepareStackTrace = undefined
    // Replaces jest's limit of a hundred lines. With that, stacks are half of the work of a parser that makes an error for each
    // fault.
    Error.stackTraceLimit = STACK_LINES
    await import(`${pathToFileURL(path).href}?${turn}`)
  }

  requireModule(path) {
    return require(path)
  }

  // Methods that jest calls, and that have nothing to do here.
  getSourceMaps() {
    return new Map()
  }
  getAllCoverageInfoCopy() {}
  enterTestCode() {}
  leaveTestCode() {}
  resetModules() {}
  clearAllMocks() {}
  resetAllMocks() {}
  restoreAllMocks() {}
  teardown() {
    // Writes the cache of compiled modules now. Otherwise, Node writes it when the worker ends, which takes longer than jest
    // waits before it kills a worker.
    flushCompileCache()
    this.jest.useRealTimers()
  }
}

/** Returns the functions of `jest` that tests use. */
function fakeTimersOf(config) {
  let timers
  const made = () => {
    const { ModernFakeTimers } = require('@jest/fake-timers')
    return (timers ??= new ModernFakeTimers({ config, global: globalThis }))
  }
  return {
    useFakeTimers: () => made().useFakeTimers(),
    useRealTimers: () => timers?.useRealTimers(),
    getTimerCount: () => made().getTimerCount(),
    advanceTimersByTime: (ms) => made().advanceTimersByTime(ms),
    spyOn: (...where) => new (require('jest-mock').ModuleMocker)(globalThis).spyOn(...where),
  }
}

/**
 * Packages that are loaded once for each worker. What the modules of the server keep in memory, they keep by database or process.
 */
const LOADED_ONCE = /[\\/](?:alerting|api|channels|console|domain|embedded-postgres|runtime|server|store)$/
const TESTS = /\/packages\/[^/]+\/test\/.*\.ts$|\.test\.ts$/
/**
 * Modules that are loaded again for each test file, such as the agent and the SDKs, because they keep in memory what they have
 * met.
 */
const OURS = /^(?!.*\/node_modules\/).*\.ts$/

function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: `jest-globals:${turn}`, format: 'module', shortCircuit: true }
  const ours = mappedTo(specifier)
  const found = ours === undefined ? next(specifier, context) : { url: ours, format: 'module', shortCircuit: true }
  // A module that is loaded once can only import modules that are loaded once.
  const isOfTest = /\.ts\?\d+$/.test(context.parentURL ?? '')
  return isOfTest && isAnew.test(found.url) ? { ...found, url: `${found.url}?${turn}` } : found
}

function mappedTo(specifier) {
  for (const [from, to] of mapped) {
    const match = from.exec(specifier)
    if (match) return pathToFileURL(to.replace(/\$(\d)/g, (_, n) => match[Number(n)])).href
  }
  return undefined
}

/** @type {Map<string, string>} */
const sources = new Map()

function load(url, context, next) {
  if (url.startsWith('jest-globals:')) return { format: 'module', source: GLOBALS_SOURCE, shortCircuit: true }
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return next(url, context)
  const [bare] = url.split('?')
  if (!/\.tsx?$/.test(bare)) return next(url, context)
  let source = sources.get(bare)
  if (source === undefined) sources.set(bare, (source = compile(fileURLToPath(bare))))
  return { format: 'module', source, shortCircuit: true }
}

/**
 * Folder for sources without types, for other workers and later runs. The name of a file depends on the source and on the
 * compiler.
 */
const KEPT = join(__dirname, '..', '..', '.cache', 'stripped')

function compile(path) {
  const text = readFileSync(path, 'utf8')
  const ending = path.endsWith('.tsx') ? 'x' : ''
  const kept = join(
    KEPT,
    createHash('sha256').update(`${process.version} ${readSelf()}\0${text}`).digest('hex') + ending,
  )
  try {
    return readFileSync(kept, 'utf8')
  } catch {
    // No worker has stored this source yet.
  }
  const made = compiled(path, text)
  // Writes the file under another name first, so that another worker reads a complete file or none.
  const half = `${kept}.${process.pid}`
  mkdirSync(KEPT, { recursive: true })
  writeFileSync(half, made)
  renameSync(half, kept)
  return made
}

/** @type {string | undefined} */
let self
const readSelf = () => (self ??= readFileSync(__filename, 'utf8'))

function compiled(path, text) {
  // Removes the types in a way that keeps all lines and columns.
  if (path.endsWith('.ts')) return stripTypeScriptTypes(text)
  const { transformSync } = require('@swc/core')
  const options = {
    filename: path,
    swcrc: false,
    sourceMaps: false,
    module: { type: 'es6' },
    jsc: {
      target: 'es2024',
      parser: { syntax: 'typescript', tsx: true },
      transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    },
  }
  return transformSync(text, options).code
}
