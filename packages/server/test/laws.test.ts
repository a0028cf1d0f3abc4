// The rules of the server, as packages/server/README.md states them.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import { FUNCTION_MAX, findCircle, findUnused, functionsOf, ROOMS, readHouse } from '../../../scripts/testing/laws.ts'

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))

const house = readHouse(PACKAGES)
const sources = house.map((source) => ({ ...source, imports: source.imports.map(({ target }) => target) }))

/** Two of the console's pages and a store file are longer than files are elsewhere. */
const FILE_MAX = 480

/** The rooms from the top floor down. A room imports from its own folder and from the floors below. */
const FLOORS = [
  ['bin'],
  ['app', 'chores'],
  ['api', 'console', 'alerting'],
  ['domain'],
  ['store', 'channels', 'embedded-postgres'],
  ['runtime'],
]

const roomOf = (path: string) => {
  const [first = ''] = path.split('/')
  return first.replace(/\.tsx?$/, '')
}
const floorOf = (room: string) => FLOORS.findIndex((rooms) => rooms.includes(room))

test('there is a house to look at', () => {
  expect(sources.length).toBeGreaterThan(50)
  expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(150)
})

describe('1. imports go down only', () => {
  test.each(sources.filter(({ path }) => path !== 'config.ts'))('$path', ({ path, imports }) => {
    const from = roomOf(path)
    for (const target of imports) {
      const to = roomOf(target)
      if (from === to) continue
      if (to === 'config') {
        expect({ path, imports: to, by: from }).toEqual({ path, imports: to, by: 'bin' })
        continue
      }
      expect({ path, target, down: floorOf(to) > floorOf(from) }).toEqual({ path, target, down: true })
      if (to === 'store') expect(['bin', 'domain', 'alerting']).toContain(from)
      if (to === 'embedded-postgres') expect(from).toBe('bin')
    }
  })

  test('no circle among files', () => {
    expect(findCircle(house)).toBeUndefined()
  })
})

test('2. SQL and query building are in store/ alone, but for what a server of our own is asked when it starts', () => {
  const SQL = /\b(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql`|\bfrom 'pg'|\.query\(/
  const outside = sources.filter(({ path, text }) => !/^(store|embedded-postgres)\//.test(path) && SQL.test(text))
  expect(outside.map(({ path }) => path)).toEqual([])
})

test('3. time, chance and environment enter through runtime/ and bin/', () => {
  const TAKEN = /Date\.now\(|new Date\(\)|Math\.random|randomBytes|randomUUID|process\.env/
  const outside = sources.filter(({ path, text }) => !/^(runtime|bin)\//.test(path) && TAKEN.test(text))
  expect(outside.map(({ path }) => path)).toEqual([])
})

test('4. only api/errors.ts knows the statuses of domain errors, and only wire files the wire shapes', () => {
  const kinds = sources.filter(({ text }) => /unauthenticated: 401/.test(text)).map(({ path }) => path)
  expect(kinds).toEqual(['api/errors.ts'])
  const shapes = sources.filter(({ text }) => /\['schemas'\]/.test(text)).map(({ path }) => path)
  expect(shapes.filter((path) => !/[/-]wire\.ts$/.test(path))).toEqual([])
})

test('5. src/ never imports test/, and no file is called util, common, helper, misc, types or index', () => {
  expect(
    sources.filter(({ imports }) => imports.some((target) => /(^|\/)test\//.test(target))).map(({ path }) => path),
  ).toEqual([])
  const names = sources
    .map(({ path }) => path)
    .filter((path) => /(^|\/)(utils?|common|helpers?|misc|types|index)\.tsx?$/.test(path))
  expect(names).toEqual([])
})

test('6. packages know only what is below them', () => {
  const allowed: Record<string, string[]> = {
    'check-rules': [],
    contract: [],
    'monitor-sdk': [],
    'account-sdk': [],
    runtime: ['@dogwatch/check-rules'],
    channels: ['@dogwatch/check-rules', '@dogwatch/runtime'],
    'embedded-postgres': [],
    store: ['@dogwatch/check-rules', '@dogwatch/runtime'],
    domain: ['@dogwatch/check-rules', '@dogwatch/channels', '@dogwatch/runtime', '@dogwatch/store'],
    alerting: [
      '@dogwatch/check-rules',
      '@dogwatch/channels',
      '@dogwatch/runtime',
      '@dogwatch/store',
      '@dogwatch/domain',
    ],
    api: ['@dogwatch/check-rules', '@dogwatch/contract', '@dogwatch/channels', '@dogwatch/runtime', '@dogwatch/domain'],
    console: ['@dogwatch/check-rules', '@dogwatch/channels', '@dogwatch/runtime', '@dogwatch/domain'],
    server: ['@dogwatch/check-rules', '@dogwatch/contract', ...ROOMS.map((room) => `@dogwatch/${room}`)],
    agent: ['@dogwatch/check-rules', '@dogwatch/monitor-sdk'],
  }
  for (const [name, packages] of Object.entries(allowed)) {
    for (const file of filesUnder(join(PACKAGES, name, 'src'))) {
      if (file.endsWith('.test.ts')) continue
      const others = Array.from(
        readFileSync(file, 'utf8').matchAll(/from '(@dogwatch\/[a-z-]+)/g),
        (match) => match[1] ?? '',
      )
      expect({
        file: relative(PACKAGES, file),
        others: others.filter((other) => !packages.includes(other)),
      }).toMatchObject({
        others: [],
      })
    }
  }
})

test('a door opens for somebody: each subpath that a package exports is imported by another', () => {
  const subpaths = ROOMS.flatMap((room) => {
    const text = readFileSync(join(PACKAGES, room, 'package.json'), 'utf8')
    const { exports } = JSON.parse(text) as { exports: Record<string, unknown> }
    return Object.keys(exports).map((name) => name.replace('.', room))
  })
  expect(subpaths.length).toBeGreaterThan(300)
  expect(findUnused(house, subpaths)).toEqual([])
})

test('7. no file and no function is too long', () => {
  const files = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
  expect(files.filter(({ lines }) => lines > FILE_MAX)).toEqual([])
  const functions = sources.flatMap(({ path, text }) => functionsOf(text).map(({ at, lines }) => ({ path, at, lines })))
  expect(functions.length).toBeGreaterThan(1000)
  expect(functions.filter(({ lines }) => lines > FUNCTION_MAX)).toEqual([])
})

test('every file begins by saying what it is for', () => {
  const silent = sources.filter(({ text }) => !/^(#!.*\n)?(\/\/ |\/\*\*)/.test(text))
  expect(silent.map(({ path }) => path)).toEqual([])
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
}
