// Files of strangers: whatever stands in the place of a value, what comes out is a file that can be taken, or one line that says why not.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parse, stringify } from 'yaml'
import { readConfigFile } from '../../src/file/read.ts'
import { ImportError, SOURCES, tableOf } from '../../src/import/index.ts'
import { yamlOf } from '../../src/import/write.ts'
import { databaseOf, fixture, folder, NOW, removeFolder, WORLDS, type World } from './worlds.ts'

afterAll(removeFolder)

const ODD: readonly unknown[] = [
  null,
  '',
  0,
  -1,
  3.7,
  1e21,
  true,
  false,
  [],
  {},
  [1, 'a', null, {}],
  { a: { b: 1 } },
  'x'.repeat(5000),
  '\u0000',
  '\ud800',
  '\u001b[31m\n',
  '${HOME} $${X}',
  'https://u:p@h:99999/',
  'tcp://a:b',
  '99999999999s',
  '200-100',
  '2026-13-45 99:99:99',
  'toString',
  '__proto__',
]

const RUNS = 60
const change = fc.record({ place: fc.nat(), value: fc.constantFrom(...ODD) })
const changes = fc.array(change, { minLength: 1, maxLength: 5 })
type Changes = readonly { place: number; value: unknown }[]

test('in files', async () => {
  const worlds = WORLDS.filter(({ files }) => files.every((name) => !name.endsWith('.sql')))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...worlds), changes, async (given, made) => {
      await expectSound(
        given,
        given.files.map((name) => changedFile(name, made)),
      )
    }),
    { numRuns: RUNS },
  )
})

test('in a database', async () => {
  const world = WORLDS.find(({ name }) => name === 'uptime-kuma-2')
  const base = readFileSync(fixture('uptime-kuma-2.sql'), 'utf8')
  let nth = 0
  await fc.assert(
    fc.asyncProperty(changes, async (made) => {
      nth += 1
      const path = databaseOf(base, `hostile-${nth}`)
      changeRows(path, made)
      if (world) await expectSound(world, [path])
    }),
    { numRuns: RUNS / 4 },
  )
})

async function expectSound({ tool }: World, paths: readonly string[]): Promise<void> {
  const source = SOURCES.find(({ name }) => name === tool)
  try {
    const moved = source?.read(paths, NOW)
    if (!moved) throw new Error(`no importer for ${tool}`)
    // biome-ignore lint: control characters are what is looked for
    expect(tableOf(moved)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
    const env = Object.fromEntries(moved.secrets.map(({ name, value = 'x' }) => [name, value]))
    expect((await readConfigFile('moved.yaml', yamlOf(moved, tool), env)).warnings).toEqual([])
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    expect(error.message).not.toContain('\n')
  }
}

/** Where an object or list holds a value. */
interface Place {
  holder: Record<string, unknown>
  field: string
}

function changedFile(name: string, made: Changes): string {
  const isJson = name.endsWith('.json')
  const text = readFileSync(fixture(name), 'utf8')
  const value: unknown = isJson ? JSON.parse(text) : parse(text, { merge: true })
  const places: Place[] = []
  const walk = (at: unknown) => {
    if (typeof at !== 'object' || at === null) return
    const holder = at as Record<string, unknown>
    for (const field of Object.keys(holder)) {
      places.push({ holder, field })
      walk(holder[field])
    }
  }
  walk(value)
  for (const { place, value: odd } of made) {
    const at = places[place % places.length]
    if (at) at.holder[at.field] = odd
  }
  const path = join(folder, name)
  writeFileSync(path, isJson ? JSON.stringify(value) : stringify(value, { aliasDuplicateObjects: false }))
  return path
}

const TABLES = [
  'monitor',
  'notification',
  'maintenance',
  'status_page',
  'setting',
  'tag',
  'monitor_tag',
  'monitor_group',
] as const

function changeRows(path: string, made: Changes): void {
  const database = new DatabaseSync(path)
  for (const { place, value } of made) {
    const table = TABLES[place % TABLES.length] ?? 'monitor'
    const columns = database
      .prepare(`PRAGMA table_info("${table}")`)
      .all()
      .map(({ name }) => String(name))
    const [{ n = 0 } = {}] = database.prepare(`SELECT count(*) AS n FROM "${table}"`).all()
    const column = columns[1 + (place % (columns.length - 1))] ?? ''
    const odd =
      typeof value === 'object' && value !== null
        ? JSON.stringify(value)
        : typeof value === 'boolean'
          ? Number(value)
          : (value as string | number | null)
    // Columns that must have a value, or one of their own, keep it.
    database
      .prepare(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE id = ?`)
      .run(odd, 1 + (place % Math.max(1, Number(n))))
  }
  database.close()
}
