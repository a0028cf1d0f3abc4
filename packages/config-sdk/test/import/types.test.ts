// A value of another type than a field has is reported with its place: it neither counts as carried over nor as the default.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { ImportError, type ImportResult, SOURCES } from '../../src/import/index.ts'
import { APP_COLUMNS, APPS } from '../../src/import/uptime-kuma/apps.ts'
import { moveKuma } from '../../src/import/uptime-kuma/index.ts'
import { readKuma } from '../../src/import/uptime-kuma/source.ts'
import { fixture, folder, given, NOW, removeFolder, WORLDS } from './worlds.ts'

afterAll(removeFolder)

const written = new Map<string, string>()

/** Imports files of a tool with these texts. */
function imported(tool: string, ...texts: readonly string[]): ImportResult {
  const paths = texts.map((text, index) => {
    const path = join(folder, `types-${index}.json`)
    // Mostly, one file of several is another than before.
    if (written.get(path) !== text) writeFileSync(path, text)
    written.set(path, text)
    return path
  })
  return importFrom(tool, paths)
}

function importFrom(tool: string, paths: readonly string[]): ImportResult {
  const moved = SOURCES.find(({ name }) => name === tool)?.read(paths, NOW)
  if (!moved) throw new Error(`no importer for ${tool}`)
  return moved
}

const fields = ({ audit }: ImportResult, list: string) =>
  audit.rows.filter((row) => row.list === list).map(({ field }) => field)

describe('switches as YAML 1.1 writes them', () => {
  const endpoint = (rest: string) => `endpoints: [{ name: a, url: "https://a.example.com", ${rest} }]`
  const targets = `scrape_configs:
  - { job_name: a, metrics_path: /probe, params: { module: [m] }, static_configs: [{ targets: ["mail.example.com:993"] }] }`
  const probed = (module: string) => imported('blackbox', targets, `modules: { m: ${module} }`)

  test.each(['no', 'off', 'false', 'n', 'NO', 'Off', '"no"'])(
    'enabled: %s switches an endpoint of Gatus off',
    (word) => {
      expect(imported('gatus', endpoint(`enabled: ${word}`)).file.checks?.a?.enabled).toBe(false)
    },
  )

  test.each(['yes', 'on', 'true', 'y', 'YES'])('insecure: %s is an endpoint of Gatus that verifies nothing', (word) => {
    expect(imported('gatus', endpoint(`client: { insecure: ${word} }`)).file.checks?.a).toMatchObject({
      insecure_skip_verify: true,
    })
  })

  test('tls: on is a probe with TLS, and insecure_skip_verify: yes one that verifies nothing', () => {
    const { file } = probed('{ prober: tcp, tcp: { tls: on, tls_config: { insecure_skip_verify: yes } } }')
    expect(Object.values(file.checks ?? {})).toMatchObject([
      { url: 'tls://mail.example.com:993', insecure_skip_verify: true },
    ])
  })

  test('any other word is no switch, and is reported', () => {
    const moved = imported('gatus', endpoint('enabled: nein, client: { insecure: 2 }'))
    expect(fields(moved, 'impossible')).toEqual(['enabled', 'client.insecure'])
    expect(fields(moved, 'carried')).not.toContain('enabled')
  })

  test('a probe with TLS that expects a banner becomes a dialogue that begins with the handshake', () => {
    const moved = probed('{ prober: tcp, tcp: { tls: true, query_response: [{ expect: "^220" }] } }')
    const [check] = Object.values(moved.file.checks ?? {})
    expect(check?.url).toMatch(/^tcp:.*\?starttls=yes&expect=%5E220$/)
    expect(fields(moved, 'impossible')).toEqual([])
  })
})

test('keys and texts that look like numbers stay as the file has them', () => {
  const targets = `scrape_configs:
  - { job_name: 1.10, metrics_path: /probe, params: { module: [10.10] }, static_configs: [{ targets: [a.example.com] }] }`
  const moved = imported(
    'blackbox',
    targets,
    'modules: { 10.10: { prober: http, http: { headers: { Accept: 1.50 } } } }',
  )
  expect(moved.file.checks?.['a.example.com']).toMatchObject({ tags: ['1.10'], headers: { Accept: '1.50' } })
})

test('port monitors of IPv6 addresses become checks', () => {
  const robot = { monitors: [{ id: 1, friendly_name: 'six', type: 4, url: '2001:db8::1', port: 25, interval: 60 }] }
  expect(imported('uptimerobot', JSON.stringify(robot)).file.checks?.six?.url).toBe('tcp://[2001:db8::1]:25')
  const attributes = {
    monitor_type: 'tcp',
    pronounceable_name: 'six',
    url: '2001:db8::1',
    port: '25',
    check_frequency: 60,
  }
  const stack = { data: [{ id: '1', type: 'monitor', attributes }] }
  expect(imported('better-stack', JSON.stringify(stack)).file.checks?.six?.url).toBe('tcp://[2001:db8::1]:25')
})

describe('one page of several is not taken for all', () => {
  const monitor = { friendly_name: 'a', friendlyName: 'a', type: 1, url: 'https://a.example.com', interval: 60 }
  const robot2 = (id: number, offset: number, total: number) =>
    JSON.stringify({ stat: 'ok', pagination: { offset, limit: 1, total }, monitors: [{ id, ...monitor }] })
  const robot3 = (id: number, nextLink: string | null) =>
    JSON.stringify({ nextLink, data: [{ id, ...monitor, type: 'HTTP' }] })
  const stack = (page: number, last: number) => {
    const at = (number: number) => `https://uptime.betterstack.com/api/v2/monitors?page=${number}`
    const attributes = { monitor_type: 'status', url: 'https://a.example.com', check_frequency: 60 }
    const prev = page > 1 ? at(page - 1) : null
    const pagination = { first: at(1), last: at(last), prev, next: page < last ? at(page + 1) : null }
    return JSON.stringify({ data: [{ id: String(page), type: 'monitor', attributes }], pagination })
  }
  const next = 'https://api.uptimerobot.com/v3/monitors?cursor=1'

  test.each([
    ['uptimerobot', [robot2(1, 0, 2)], ['pages of monitors']],
    ['uptimerobot', [robot2(1, 0, 2), robot2(2, 1, 2)], []],
    ['uptimerobot', [robot2(1, 0, 2), robot2(1, 0, 2)], ['pages of monitors']],
    ['uptimerobot', [robot3(1, next)], ['pages of monitors']],
    ['uptimerobot', [robot3(1, next), robot3(2, null)], []],
    ['better-stack', [stack(1, 3), stack(3, 3)], ['pages of monitors']],
    ['better-stack', [stack(2, 2), stack(1, 2)], []],
  ])('%s %#', (tool, pages, reported) => {
    const rows = imported(tool, ...pages).audit.rows.filter(({ kind }) => kind === 'file')
    expect(rows.map(({ field }) => field)).toEqual(reported)
  })
})

describe('a check is not said to have what it has not', () => {
  test('a check that is not made carries nothing over', () => {
    const moved = imported(
      'gatus',
      'endpoints: [{ name: a, url: "https://a b/", interval: 1m, conditions: ["[STATUS] == 200"] }]',
    )
    expect(moved.file.checks).toBeUndefined()
    expect(fields(moved, 'carried')).toEqual([])
  })

  test('a channel that could not be made carries nothing over, and no route names it', () => {
    const moved = imported(
      'gatus',
      `alerting: { slack: { webhook-url: "", default-alert: { enabled: true } }, teams: { webhook-url: here } }
endpoints: [{ name: a, url: "https://a.example.com", alerts: [{ type: slack }, { type: teams }] }]`,
    )
    expect([moved.file.channels, moved.file.routes, moved.secrets]).toEqual([undefined, undefined, []])
    const carried = moved.audit.rows.filter(({ kind, list }) => kind === 'alerting' && list === 'carried')
    expect(carried).toEqual([])
  })
})

describe('variables of the other tool', () => {
  const moved = () =>
    imported(
      'gatus',
      `storage: { path: "$DATABASE" }
endpoints:
  - { name: web, url: "\${WEB}", method: POST, body: "x", headers: { Accept: text/html }, conditions: ["[STATUS] == 201"] }
  - { name: port, url: "tcp://\${HOST}:\${PORT}", conditions: ["[CONNECTED] == true"] }
  - { name: shell, url: "sctp://\${SHELL}" }
  - { name: text, url: "https://\${HOST}/", conditions: ["[BODY] == \${TEXT}"] }`,
    )

  test('may be the whole target of a check', () => {
    expect(moved().file.checks).toMatchObject({
      web: { url: '${WEB}', post_data: 'x', headers: { Accept: 'text/html' }, status_code_value: 201 },
      port: { url: 'tcp://${HOST}:${PORT}' },
    })
  })

  test('are asked for only if the file has them', () => {
    expect(moved().secrets.map(({ name }) => name)).toEqual(['WEB', 'HOST', 'PORT'])
    expect(fields(moved(), 'impossible')).toContain('conditions [BODY] == ${TEXT}')
  })
})

describe('every value of another type is reported, or counts as what it is', () => {
  const worlds = WORLDS.filter(({ files: names }) => names.every((name) => !name.endsWith('.sql')))

  test.each(worlds.flatMap((world) => world.files.map((file, index) => ({ file, world, index }))))(
    '$file',
    ({ file, world, index }) => {
      const texts = world.files.map((name) => readFileSync(fixture(name), 'utf8'))
      const isJson = file.endsWith('.json')
      const whole: unknown = isJson ? JSON.parse(texts[index] ?? '') : parse(texts[index] ?? '', { merge: true })
      // JSON is YAML, too, and quicker to write and to read.
      const look = (value: unknown) =>
        outcomeOf(() => imported(world.tool, ...texts.with(index, JSON.stringify(value))))
      expect(silentIn(placesIn(whole), (place, value) => look(replaced(whole, place, value)))).toEqual([])
    },
  )

  const OWN = new Set(['url', 'hostname', 'port', 'keyword', 'invert_keyword'])
  type Row = Readonly<Record<string, unknown>>
  const isApp = ({ type }: Row) => APPS.includes(String(type))
  const firstOfType = (rows: readonly Row[]) => [
    ...new Map(rows.toReversed().map((row) => [String(row.type), row])).values(),
  ]
  const PLAIN = ['http', 'keyword', 'port', 'ping', 'dns', 'ntp', 'push', 'group']

  test.each(['uptime-kuma-1.sql', 'uptime-kuma-2.sql'])('%s', (name) => {
    const { tables, unread } = readKuma(given(name))
    const monitors = tables.get('monitor') ?? []
    const rest = monitors.filter((row) => !isApp(row))
    // One monitor of each type is enough. An app is tried without the other apps, since every try imports the whole world.
    const silent = [undefined, ...firstOfType(monitors.filter(isApp))].flatMap((app) => {
      const world = new Map([...tables, ['monitor', app ? [...rest, app] : rest]])
      const tried = (table: string, rows: readonly Row[]) => {
        if (app) return table === 'monitor' ? [app] : []
        return table === 'monitor'
          ? firstOfType(rows).filter(({ type }) => PLAIN.includes(String(type)))
          : rows.slice(0, 3)
      }
      const places = [...world].flatMap(([table, rows]) =>
        tried(table, rows).flatMap((row) =>
          // Each monitor has all columns. Those of every type are tried with the others.
          Object.entries(row)
            .filter(([column]) => !app || Object.hasOwn(APP_COLUMNS, column) || OWN.has(column))
            .map(([column, value]) => ({ path: [table, rows.indexOf(row), column], value })),
        ),
      )
      return silentIn(places, ({ path: [table, index, column] }, value) => {
        const rows = world.get(String(table)) ?? []
        const row = { ...rows[Number(index)], [String(column)]: value }
        const changed = new Map([...world, [String(table), rows.with(Number(index), row)]])
        return outcomeOf(() => moveKuma({ tables: changed, unread }, NOW))
      })
    })
    expect(silent).toEqual([])
  })
})

interface Place {
  path: readonly (string | number)[]
  value: unknown
}

/** What an import makes and says. Undefined if it refuses the file. */
type Outcome = { file: string; reported: ReadonlySet<string>; carried: ReadonlySet<string> } | undefined

const OTHERS: readonly unknown[] = [true, 7, 'odd one', [['odd']], { odd: { one: 1 } }]

/** The places where a value of another type is taken for none, without a word or with the claim that it was carried over. */
function silentIn(places: readonly Place[], look: (place: Place, value: unknown) => Outcome): string[] {
  const [first] = places
  const base = first && look(first, first.value)
  if (!base) throw new Error('the fixture is refused')
  return places.flatMap((place, index) => {
    const without = look(place, null)
    // Nothing is made of such a value.
    if (without?.file === base.file) return []
    const { path, value: given } = place
    const isReference = /(?:^i|_i|I)d$/.test(String(path.at(-1)))
    // Any number or text may be an id. Two other types for each place are enough: neighbours have the others.
    const others = OTHERS.filter(
      (value) =>
        typeNameOf(value) !== typeNameOf(given) &&
        !(isReference && ['number', 'string'].includes(typeof value)) &&
        // Databases have switches as numbers.
        !([0, 1].includes(Number(given)) && typeof value === 'boolean'),
    )
    return [others[index % others.length], others[(index + 1) % others.length]]
      .filter((value) => isSilent(base, without, look(place, value)))
      .map((value) => `${place.path.join('.')} as ${JSON.stringify(value)}`)
  })
}

function isSilent(base: NonNullable<Outcome>, without: Outcome, other: Outcome): boolean {
  if (!other || other.file !== without?.file) return false
  const claims = [...base.carried].filter((row) => !without.carried.has(row))
  const isClaimed = claims.length > 0 && claims.every((row) => other.carried.has(row))
  return isClaimed || [...other.reported].every((row) => base.reported.has(row))
}

function outcomeOf(importing: () => ImportResult): Outcome {
  try {
    const { file, audit } = importing()
    const rows = (isWanted: (row: (typeof audit.rows)[number]) => boolean) =>
      new Set(
        audit.rows.filter(isWanted).map(({ kind, thing, field, note }) => JSON.stringify([kind, thing, field, note])),
      )
    return {
      file: JSON.stringify(file),
      // Who is told of what follows from other rows.
      reported: rows(({ list, kind }) => list !== 'carried' && kind !== 'alerts'),
      carried: rows(({ list, idle }) => list === 'carried' && idle !== true),
    }
  } catch (error) {
    if (error instanceof ImportError) return undefined
    throw error
  }
}

function placesIn(value: unknown, path: Place['path'] = []): Place[] {
  const own = path.length > 0 && value !== null && value !== '' ? [{ path, value }] : []
  if (typeof value !== 'object' || value === null) return own
  const steps = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [...own, ...steps.flatMap(([step, inner]) => placesIn(inner, [...path, step]))]
}

/** A copy of a value with another one at a place. */
function replaced(whole: unknown, { path: [step, ...rest] }: Pick<Place, 'path'>, value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(whole)) return whole.with(Number(step), replaced(whole[Number(step)], { path: rest }, value))
  const fieldsOf = whole as Record<string, unknown>
  return { ...fieldsOf, [step]: replaced(fieldsOf[step], { path: rest }, value) }
}

function typeNameOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value
}
