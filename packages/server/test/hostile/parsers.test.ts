// Every parser that meets the text of strangers takes time in proportion to it. Each place in what we ship that takes a text apart is
// listed here, so that a new one fails until it is listed, and tried.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import ts from 'typescript'
import { ROOMS } from '../../../../scripts/testing/laws.ts'
import { faultOfGrowth, WORST } from '../support/linear.ts'
import { OF_AGENTS } from './parsers/agents.ts'
import { OF_CHANNELS } from './parsers/channels.ts'
import { PARSERS } from './parsers/list.ts'
import { OF_REQUESTS } from './parsers/requests.ts'
import type { Trial } from './parsers/trial.ts'

const TRIALS: Readonly<Record<string, Trial>> = { ...OF_REQUESTS, ...OF_CHANNELS, ...OF_AGENTS }

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
const READERS = ['server', ...ROOMS, 'agent', 'check-rules', 'monitor-sdk', 'account-sdk']
const METHODS = ['parse', 'safeParse', 'split', 'canParse', 'parseInt', 'parseFloat', 'parseCIDR', 'matchAll']
const FUNCTIONS = ['decodeURIComponent', 'decodeURI', 'parseInt', 'parseFloat', 'BigInt']
const CLASSES = ['URL', 'URLSearchParams', 'JSONParser']

/** What a call or a `new` takes apart, if it does. Dates are read by the platform alone, which is tried as `Date.parse`. */
function parserIn(node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression)) {
    const { text } = node.expression
    return CLASSES.includes(text) ? `new ${text}` : undefined
  }
  if (!ts.isCallExpression(node)) return undefined
  const { expression: called } = node
  if (ts.isIdentifier(called)) return FUNCTIONS.includes(called.text) ? called.text : undefined
  if (!ts.isPropertyAccessExpression(called)) return undefined
  const owner = ts.isIdentifier(called.expression) ? called.expression.text : ''
  const name = called.name.text
  if (owner === 'Date') return undefined
  if (owner === 'Buffer' && name === 'from') return node.arguments.length > 1 ? 'Buffer.from' : undefined
  if (owner === 'ipaddr' && ['parse', 'process', 'parseCIDR'].includes(name)) return 'ipaddr'
  if (!METHODS.includes(name)) return undefined
  return ['JSON', 'URL'].includes(owner) ? `${owner}.${name}` : `.${name}`
}

function callsIn(file: string): string {
  const counts = new Map<string, number>()
  const visit = (node: ts.Node): void => {
    const found = parserIn(node)
    if (found !== undefined) counts.set(found, (counts.get(found) ?? 0) + 1)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  const told = [...counts].toSorted().map(([name, count]) => (count === 1 ? name : `${name} x${count}`))
  return told.join(', ')
}

const found = READERS.flatMap((name) =>
  readdirSync(join(PACKAGES, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|gen)\.tsx?$|(^|\/)generated\.ts$/.test(path))
    .map((path) => join(PACKAGES, name, 'src', path)),
)
  .map((file) => [relative(PACKAGES, file), callsIn(file)] as const)
  .filter(([, calls]) => calls !== '')

/** A new one may be a new parser: then it is tried, here or in `doors.test.ts`. */
const LIBRARIES = [
  '@simplewebauthn/server',
  '@streamparser/json',
  'argon2',
  'classic-level',
  'commander',
  'compression',
  'express',
  'express-openapi-validator',
  'ipaddr.js',
  'kysely',
  'liquidjs',
  'nodemailer',
  'openapi-fetch',
  'openid-client',
  'otpauth',
  'pg',
  'pino',
  'preact',
  'preact-render-to-string',
  'prom-client',
  'raw-body',
  're2js',
  'temporal-polyfill',
  'tldts',
  'uplot',
  'uqr',
  'zod',
]

describe('the list', () => {
  test('has every place that takes a text apart, and no other', () => {
    const listed = Object.entries(PARSERS).map(([file, [calls]]) => [file, calls])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(listed))
  })

  test('names a trial for each, or says whose text it is', () => {
    for (const [file, [, trials]] of Object.entries(PARSERS)) {
      if (/^ours: ./.test(trials)) continue
      const unknown = trials.split(', ').filter((name) => !Object.hasOwn(TRIALS, name))
      expect({ file, unknown }).toEqual({ file, unknown: [] })
    }
  })

  test('no library but these reads texts for us', () => {
    const manifests = READERS.map(
      (name) => JSON.parse(readFileSync(join(PACKAGES, name, 'package.json'), 'utf8')) as { dependencies?: object },
    )
    const names = manifests.flatMap(({ dependencies = {} }) => Object.keys(dependencies))
    expect([...new Set(names)].filter((name) => !name.startsWith('@dogwatch/')).toSorted()).toEqual(LIBRARIES)
  })
})

describe('growth', () => {
  test('the square of a text is noticed, and much work in proportion is not', async () => {
    const text = (length: number) => 'a'.repeat(length)
    const square: Trial = (long) => {
      let sum = 0
      for (let i = 0; i < long.length; i++) for (let j = 0; j < i; j += 64) sum += long.charCodeAt(j)
      return sum
    }
    const much: Trial = (long) => Array.from(long, () => Array.from({ length: 30 }, (_, i) => i).reverse()).length
    expect(await faultOfGrowth(square, text, 3)).toMatch(/ ms of work for /)
    expect(await faultOfGrowth(much, text)).toBeUndefined()
  })

  test.each(Object.entries(TRIALS))('%s', async (_, trial) => {
    const faults: string[] = []
    for (const [name, make] of Object.entries(WORST)) {
      const fault = await faultOfGrowth(trial, make)
      if (fault !== undefined) faults.push(`${name}: ${fault}`)
    }
    expect(faults).toEqual([])
  })
})
