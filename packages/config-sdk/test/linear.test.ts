// Files for dogwatch-config, and those of other monitors that it imports, take time in proportion to their size, whatever stands in them.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { parse, stringify } from 'yaml'
import { faultOfGrowth, WORST } from '../../server/test/support/linear.ts'
import { readConfigFile } from '../src/file/read.ts'
import { readSource } from '../src/file/source.ts'
import { SOURCES, tableOf } from '../src/import/index.ts'
import { yamlOf } from '../src/import/write.ts'
import { fixture, folder, NOW, removeFolder, WORLDS, type World } from './import/worlds.ts'

afterAll(removeFolder)

/** Texts that mean something in these files. */
const OWN: typeof WORST = textsOf([
  ...['${', '$${', '${A', '${A}', '$', '}', '&a ', '*a ', '- ', 'a: ', '? ', "'", '"', '\n', ' ', ','],
  ...['{{', ' == ', 'any(', 'pat(*', '1m', '[', '(', '*', ':', '@', '/', '#', '\\', '-', '0 '],
])
const TEXTS: typeof WORST = { ...WORST, ...OWN }

test.each(Object.entries(TEXTS))('a file of %s', async (_, make) => {
  const read = (text: string) => refused(() => readSource('f', text, { A: 'x' }))
  expect(await faultOfGrowth(read, make)).toBeUndefined()
  const quoted = (text: string) => refused(() => readSource('f', `a: ${JSON.stringify(text)}`, { A: 'x' }))
  expect(await faultOfGrowth(quoted, make)).toBeUndefined()
  const unclosed = (text: string) =>
    refused(() => readSource('f', `a: |\n  ${text.replaceAll('\n', '\n  ')}`, { A: 'x' }))
  expect(await faultOfGrowth(unclosed, make)).toBeUndefined()
})

const PARTS: Record<string, (n: number) => string> = {
  checks: (n) =>
    `version: 1\nchecks:\n${lines(n / 64, (i) => `  c${i}: { url: "https://x.example/${i}", interval_sec: 60 }`)}`,
  'keys that are unknown': (n) => `version: 1\nchecks:\n  a:\n${lines(n / 12, (i) => `    k${i}: 1`)}`,
  'keys that are repeated': (n) => `version: 1\nchecks:\n  a:\n${lines(n / 12, () => '    name: x')}`,
  anchors: (n) => `version: 1\n${lines(n / 16, (i) => `x-${i}: &a${i} { b: 1 }`)}`,
  aliases: (n) => `version: 1\nx-a: &a [1]\nx-b:\n${lines(n / 6, () => '  - *a')}`,
  merges: (n) =>
    `version: 1\nx-a: &a { b: 1 }\nx-b: { <<: [${Array(Math.floor(n / 4))
      .fill('*a')
      .join(', ')}] }`,
  tags: (n) => `version: 1\nchecks: { a: { tags: [${lines(n / 8, (i) => `t${i},`)}] } }`,
  headers: (n) => `version: 1\nchecks: { a: { headers: {${lines(n / 12, (i) => `h${i}: x,`)}} } }`,
  dependencies: (n) => `version: 1\nchecks: { a: { depends_on: [${lines(n / 8, (i) => `c${i},`)}] } }`,
  'a chain of dependencies': (n) =>
    `version: 1\nchecks:\n${lines(n / 64, (i) => `  c${i}: { url: "https://x/", interval_sec: 60, depends_on: [c${i + 1}] }`)}`,
  variables: (n) => `version: 1\nchecks: { a: { name: "${'${A} '.repeat(n / 5)}" } }`,
  comments: (n) => lines(n / 4, () => '# a'),
}

test.each(Object.entries(PARTS))('many %s', async (_, make) => {
  const work = async (text: string) => readConfigFile('f', text, { A: 'x' }).catch(() => undefined)
  expect(await faultOfGrowth(work, make)).toBeUndefined()
})

const IMPORTED = WORLDS.filter(({ files }) => files.every((name) => !name.endsWith('.sql')))

const isText = (value: unknown): value is string => typeof value === 'string'
type Crowd = unknown[] | Record<string, unknown>
/** A list, or a map from names to texts. */
const isCrowd = (value: unknown): value is Crowd =>
  Array.isArray(value)
    ? value.length > 0
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0 && Object.values(value).every(isText)

describe.each(IMPORTED)('an import from $name', (world) => {
  const files = world.files.map((name) => ({ name, value: read(name, readFileSync(fixture(name), 'utf8')) }))

  test.each(Object.entries(OWN))('in which every text is followed by %s', async (_, make) => {
    // By all of it together, so that a file stays within its bounds.
    const texts = files.reduce((sum, { value }) => sum + valuesIn(value, isText).length, 0)
    const work = (whole: string) => {
      const part = whole.slice(0, (4 * whole.length) / texts)
      moveWith(world, files, (value) => (typeof value === 'string' ? value + part : value), inOwnForm)
    }
    expect(await faultOfGrowth(work, make)).toBeUndefined()
  })

  const crowds = files.flatMap(({ name, value }) => valuesIn(value, isCrowd).map((_, nth) => ({ name, nth })))
  test.each(crowds)('in which there is much in list or map $nth of $name', async ({ name, nth }) => {
    const work = (whole: string) => {
      let seen = 0
      moveWith(world, files, (value, file) => {
        if (file !== name || !isCrowd(value) || seen++ !== nth) return value
        return Array.isArray(value) ? many(value, whole.length / 64) : manyFields(value, whole.length / 64)
      })
    }
    expect(await faultOfGrowth(work, (n) => ' '.repeat(n))).toBeUndefined()
  })
})

interface File {
  name: string
  value: unknown
}

function read(name: string, text: string): unknown {
  return name.endsWith('.json') ? (JSON.parse(text) as unknown) : parse(text, { merge: true })
}

function inOwnForm(value: unknown, name: string): string {
  return name.endsWith('.json') ? JSON.stringify(value) : stringify(value, { aliasDuplicateObjects: false })
}

/** Imports files in which each value was changed. */
function moveWith(
  { tool }: World,
  files: readonly File[],
  change: (value: unknown, file: string) => unknown,
  // JSON is YAML, too, and quicker to write and to read.
  write: (value: unknown, name: string) => string = (value) => JSON.stringify(value),
): void {
  const paths = files.map(({ name, value }) => {
    const path = join(folder, name)
    writeFileSync(
      path,
      write(
        mapValues(value, (one) => change(one, name)),
        name,
      ),
    )
    return path
  })
  refused(() => {
    const moved = SOURCES.find(({ name }) => name === tool)?.read(paths, NOW)
    return moved && [yamlOf(moved, tool), tableOf(moved)]
  })
}

/** Things that have an id get one of their own. */
const many = (items: readonly unknown[], count: number): unknown[] =>
  Array.from({ length: count }, (_, n) => {
    const item = items[n % items.length]
    return typeof item === 'object' && item !== null && 'id' in item ? { ...item, id: n } : item
  })

const manyFields = (map: Record<string, unknown>, count: number): Record<string, unknown> => ({
  ...map,
  ...Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, Object.values(map)[0]])),
})

/** The values within a value that are of a kind, in the order in which `mapValues` meets them. */
function valuesIn<T>(value: unknown, isOne: (value: unknown) => value is T): T[] {
  const found: T[] = []
  mapValues(value, (one) => {
    if (isOne(one)) found.push(one)
    return one
  })
  return found
}

function mapValues(value: unknown, change: (value: unknown) => unknown): unknown {
  const changed = change(value)
  if (changed !== value || typeof changed !== 'object' || changed === null) return changed
  if (Array.isArray(changed)) return changed.map((one) => mapValues(one, change))
  return Object.fromEntries(Object.entries(changed).map(([name, one]) => [name, mapValues(one, change)]))
}

function textsOf(units: readonly string[]): typeof WORST {
  return Object.fromEntries(
    units.map((unit) => [JSON.stringify(unit), (n: number) => unit.repeat(Math.ceil(n / unit.length))]),
  )
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: Math.floor(count) }, (_, index) => line(index)).join('\n')
}

function refused(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}
