// Every regular expression in what we ship takes time in proportion to the text it is run on, whatever the text. An analyser
// proves it from the pattern, or attacks it until it is slow: no clock is looked at here.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { check } from 'recheck'
import ts from 'typescript'
import { ROOMS } from '../../../../scripts/testing/laws.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
const SHIPPED = [
  ...['server', ...ROOMS].map((name) => `${name}/src`),
  'console/assets',
  'agent/src',
  'agent/conformance',
  'check-rules/src',
  'monitor-sdk/src',
  'account-sdk/src',
  'config-sdk/src',
]
/** Files that make a pattern from a text. Each is named here with where the text comes from. */
const MADE = {
  'api/src/routes.ts': 'the paths of our own documents',
  'check-rules/src/json-path.ts': 'parts of our own',
  'console/src/return-path.ts': 'the paths of our own pages',
}

/** The analyser counts steps. Left to itself it takes an attempt that runs for a second for a slow pattern, even on a busy machine. */
const BY_STEPS = { attackTimeout: null, incubationTimeout: null, seedingTimeout: null }

interface Pattern {
  file: string
  source: string
  flags: string
}

const files = SHIPPED.flatMap((folder) =>
  readdirSync(join(PACKAGES, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(tsx?|js)$/.test(path) && !/\.(test|gen)\.ts$/.test(path))
    .map((path) => join(PACKAGES, folder, path)),
)

function read(file: string): { patterns: Pattern[]; makesSome: boolean } {
  const patterns: Pattern[] = []
  let makesSome = false
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      patterns.push({ file, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    if (ts.isIdentifier(node) && node.text === 'RegExp' && !ts.isTypeNode(node.parent)) makesSome = true
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  return { patterns, makesSome }
}

const named = (file: string): string => relative(PACKAGES, file)
const found = files.map((file) => ({ file, ...read(file) }))
const patterns = [
  ...new Map(
    found.flatMap((one) => one.patterns).map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern]),
  ).values(),
]

async function verdictOn({ source, flags }: Pick<Pattern, 'source' | 'flags'>): Promise<string> {
  const verdict = await check(source, flags, { ...BY_STEPS, timeout: 170_000 })
  if (verdict.status === 'safe') return 'linear'
  return verdict.status === 'vulnerable' ? verdict.complexity.summary : `unknown: ${verdict.error.kind}`
}

test('there are patterns to look at', () => {
  expect(patterns.length).toBeGreaterThan(100)
})

test('the analyser tells one that is not linear', async () => {
  expect(await verdictOn({ source: '\\b([a-z][a-z\\d+.-]*:\\/\\/[^\\s:/@]*):[^\\s/]*@', flags: 'gi' })).toMatch(
    /2nd degree/,
  )
  expect(await verdictOn({ source: '^(a|a)*$', flags: '' })).toBe('exponential')
})

test.each(SHIPPED)('every pattern of %s is linear', async (folder) => {
  const slow: string[] = []
  for (const pattern of patterns.filter(({ file }) => named(file).startsWith(`${folder}/`))) {
    const verdict = await verdictOn(pattern)
    if (verdict !== 'linear') slow.push(`${named(pattern.file)}: /${pattern.source}/${pattern.flags} is ${verdict}`)
  }
  expect(slow).toEqual([])
})

test('no other file makes patterns out of texts', () => {
  const making = found.filter(({ makesSome }) => makesSome).map(({ file }) => named(file))
  expect(making.toSorted()).toEqual(Object.keys(MADE))
})
