// What becomes of the configurations of other tools.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { readConfigFile } from '../../src/file/read.ts'
import { isBlank, type Rules, UNKNOWN } from '../../src/import/audit.ts'
import * as stack from '../../src/import/better-stack.ts'
import * as blackbox from '../../src/import/blackbox/modules.ts'
import * as gatus from '../../src/import/gatus/index.ts'
import * as healthchecks from '../../src/import/healthchecks.ts'
import { tableOf } from '../../src/import/index.ts'
import * as kuma from '../../src/import/uptime-kuma/monitors.ts'
import * as robot from '../../src/import/uptimerobot/monitors.ts'
import { yamlOf } from '../../src/import/write.ts'
import { environmentOf, fixture, given, move, removeFolder, WILD, WORLDS, type World } from './worlds.ts'

afterAll(removeFolder)

describe.each(WORLDS)('$name', (world) => {
  test('becomes the file and the table in golden/', () => {
    const moved = move(world)
    expectGolden(`${world.name}.yaml`, yamlOf(moved, world.tool))
    expectGolden(`${world.name}.txt`, tableOf(moved))
  })
})

describe.each([...WORLDS, ...WILD])('$name', (world) => {
  test('no secret stands in the file or in the table', () => {
    const moved = move(world)
    const written = yamlOf(moved, world.tool) + tableOf(moved)
    const marked = world.files
      .map((name) => readFileSync(fixture(name), 'utf8'))
      .join('\n')
      .match(/[\w-]{0,40}(?:-pass|secret|-token)\b(?!-)/g)
    const secrets = [...(marked ?? []), ...moved.secrets.flatMap(({ value }) => value ?? [])].filter(
      (text) => !FIELDS.includes(text),
    )
    expect(secrets.filter((secret) => written.includes(secret))).toEqual([])
  })

  test('is a file that dogwatch-config takes', async () => {
    const moved = move(world)
    const env = environmentOf(moved.secrets)
    const { config, warnings } = await readConfigFile(`${world.name}.yaml`, yamlOf(moved, world.tool), env)
    expect(warnings).toEqual([])
    expect(Object.keys(config.checks ?? {})).toEqual(Object.keys(moved.file.checks ?? {}))
  })

  test('every reference names a thing of the file', () => {
    const { file } = move(world)
    const known = (section: 'checks' | 'heartbeats' | 'channels') => Object.keys(file[section] ?? {})
    const scopes = [...Object.values(file.routes ?? {}), ...Object.values(file.maintenance ?? {})].map(
      ({ scope }) => scope,
    )
    expect(known('checks')).toEqual(expect.arrayContaining(scopes.flatMap(({ checks }) => checks ?? [])))
    expect(known('heartbeats')).toEqual(expect.arrayContaining(scopes.flatMap(({ heartbeats }) => heartbeats ?? [])))
    const told = Object.values(file.routes ?? {}).flatMap(({ steps }) =>
      steps.flatMap(({ channels }) => channels ?? []),
    )
    expect(known('channels')).toEqual(expect.arrayContaining(told))
  })
})

/** Names of fields that look like the secrets of the fixtures. */
const FIELDS = [
  'access-token',
  'webhook_secret',
  'radius_secret',
  'client_secret',
  'oauth_client_secret',
  'twofa_secret',
  'client-secret',
]

const KINDS = ['monitor', 'endpoint', 'check', 'heartbeat', 'target']

/** By the name of a world: the rules of its fields. */
const MAPPINGS: Readonly<Record<string, readonly Rules<never>[]>> = {
  'uptime-kuma-2': [kuma.MONITOR],
  gatus: [gatus.ENDPOINT, gatus.CLIENT, gatus.DNS],
  healthchecks: [healthchecks.CHECK],
  'uptimerobot-2': [robot.MONITOR],
  'uptimerobot-3': [robot.MONITOR],
  'better-stack': [stack.MONITOR, stack.HEARTBEAT],
  blackbox: [blackbox.MODULE, blackbox.HTTP, blackbox.TCP, blackbox.DNS, blackbox.ICMP],
}

describe('nothing is lost silently', () => {
  test.each(Object.keys(MAPPINGS))(
    '%s: a field whose rule is taken away is listed as one that Dogwatch does not know',
    (name) => {
      const world = worldOf(name)
      const rows = move(world).audit.rows.filter(({ kind }) => KINDS.includes(kind))
      const before = new Set(rows.map(({ field }) => lastOf(field)))
      const mappings = MAPPINGS[name] ?? []
      const fields = new Set(mappings.flatMap((rules) => Object.keys(rules)).filter((field) => before.has(field)))
      const silent = [...fields].filter((field) => !withoutRules(mappings, field, () => isListed(world, field)))
      expect(silent).toEqual([])
      expect(fields.size).toBeGreaterThan(5)
    },
  )

  test('every column of a monitor that has a value is in the table, or the whole monitor is', () => {
    const { audit } = move(worldOf('uptime-kuma-2'))
    const refused = new Set(
      audit.rows.filter(({ kind, field }) => kind === 'monitor' && field === '').map(({ thing }) => thing),
    )
    const told = new Map<string, Set<string>>()
    for (const { kind, thing, field } of audit.rows) {
      if (kind === 'monitor') told.set(thing, (told.get(thing) ?? new Set()).add(field))
    }
    const rows = monitorsIn()
    expect(rows.length).toBe(49)
    const lost = rows.flatMap((row) => {
      const fields = Object.keys(row).filter((field) => !isBlank(row[field]))
      const name = String(row.name)
      return refused.has(name)
        ? []
        : fields.filter((field) => told.get(name)?.has(field) !== true).map((field) => `${name}: ${field}`)
    })
    expect(lost).toEqual([])
  })

  test('every kind of monitor that Uptime Kuma has is carried over or refused with what comes nearest', () => {
    const { audit } = move(worldOf('uptime-kuma-2'))
    const notes = audit.rows
      .filter(({ kind, field }) => kind === 'monitor' && field === '')
      .map(({ note }) => note ?? '')
    expect(notes.filter((note) => !/the closest alternative is|a composite check|of type teleport/.test(note))).toEqual(
      [],
    )
  })
})

function worldOf(name: string): World {
  const world = WORLDS.find((one) => one.name === name)
  if (!world) throw new Error(`no world ${name}`)
  return world
}

/** `client.timeout` as `timeout`; fields of lists and conditions stay as they are. */
function lastOf(field: string): string {
  return field.replace(/^(?:module |client\.|http\.|tcp\.|dns\.|icmp\.|config\.|ssl\.)/, '')
}

function isListed(world: World, field: string): boolean {
  return move(world).audit.rows.some(
    (row) => lastOf(row.field) === field && row.list === 'impossible' && row.note === UNKNOWN,
  )
}

function withoutRules<Answer>(mappings: readonly Rules<never>[], field: string, ask: () => Answer): Answer {
  const held = mappings.filter((rules) => Object.hasOwn(rules, field)).map((rules) => [rules, rules[field]] as const)
  for (const [rules] of held) Reflect.deleteProperty(rules, field)
  try {
    return ask()
  } finally {
    for (const [rules, rule] of held) Reflect.set(rules, field, rule)
  }
}

function monitorsIn(): Record<string, unknown>[] {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
  const database = new DatabaseSync(given('uptime-kuma-2.sql'), { readOnly: true })
  const rows = database.prepare('SELECT * FROM monitor').all()
  database.close()
  return rows
}

function expectGolden(name: string, text: string): void {
  const path = join(fixture('golden'), name)
  if (process.env.DOGWATCH_UPDATE_GOLDEN === '1') {
    mkdirSync(fixture('golden'), { recursive: true })
    writeFileSync(path, text)
  }
  expect(existsSync(path)).toBe(true)
  expect(text).toBe(readFileSync(path, 'utf8'))
}
