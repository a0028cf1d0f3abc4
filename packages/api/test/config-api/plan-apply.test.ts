// Any configuration can follow any other: what was applied leaves no difference, was what the plan said, and is what pull writes.

import { ConfigClient } from '@dogwatch/config-sdk'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type DeployResult, deploy, isDifferent } from '../../../config-sdk/src/file/deploy.ts'
import type { ConfigFile, FileRoute, FileScope } from '../../../config-sdk/src/file/format.ts'
import { fileOf } from '../../../config-sdk/src/file/pull.ts'
import { type ReadFile, readConfigFile, SECTIONS } from '../../../config-sdk/src/file/read.ts'
import { readSchema } from '../../../config-sdk/src/file/schema.ts'
import { readStatusPage, readThings } from '../../../config-sdk/src/file/server.ts'
import { sparse, writeConfigFile } from '../../../config-sdk/src/file/write.ts'
import { configToken } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let org: Org
let client: ConfigClient
/** Of a channel that no file knows. */
let channel: string
beforeAll(async () => {
  w = await world()
  org = await w.org('team')
  client = new ConfigClient({
    baseUrl: w.url,
    token: await configToken(w, org, { scopes: ['write', 'checks:secrets'] }),
    retries: 0,
  })
  const { id } = await createChannel(w.deps, org.org_id, { name: 'ops', kind: 'ntfy', ntfy_topic: 'ops' })
  channel = `id:${id}`
})
afterAll(() => w.close())

const key = fc.constantFrom('a', 'b-2', 'c.d', 'e_f', '0', 'constructor')
const tags = fc.uniqueArray(fc.constantFrom('eu', 'shop', 'web'), { maxLength: 2 }).map((list) => list.sort())
const name = fc.constantFrom('Shop', 'a', 'Zürich "B", $x ${Y}', '日本 # no comment', 'true', '0x1F', '- dash')
const text = fc.constantFrom('OK', 'two\nlines\n', '${HOME} $${X}', '  spaces  ', '~', '1e3')

const check = fc.record(
  {
    name,
    url: fc.constantFrom('https://shop.example.com/', 'tcp://mail.example.com:25', 'tls://shop.example.com:443'),
    interval_sec: fc.constantFrom(60, 300),
    enabled: fc.boolean(),
    tags,
    timeout_sec: fc.constantFrom(0, 5),
    match_string: text,
    headers: fc.dictionary(fc.constantFrom('X-One', 'X-Two'), fc.constantFrom('', 'v', '${X}'), { maxKeys: 2 }),
    result_detail_max_chars: fc.constantFrom(0, 256),
    down_majority: fc.boolean(),
  },
  { requiredKeys: ['url', 'interval_sec'] },
)
/** Checks that the server judges have no fields about runs. */
const judged = fc.record(
  {
    name,
    url: fc.constantFrom('composite:tag:shop,tag:eu%20west?down_at=1', 'domain:shop.example.com?fail=7'),
    interval_sec: fc.constant(60),
    enabled: fc.boolean(),
    tags,
  },
  { requiredKeys: ['url', 'interval_sec'] },
)
const heartbeat = fc.oneof(
  fc.record(
    { name, interval_sec: fc.constantFrom(60, 3600), grace_sec: fc.constantFrom(0, 3600), tags, enabled: fc.boolean() },
    { requiredKeys: ['interval_sec'] },
  ),
  fc.record({
    cron: fc.constantFrom('30 2 * * *', '0 12 * * 1'),
    cron_zone: fc.constant('Europe/Paris'),
    grace_sec: fc.constant(60),
  }),
)

/** The kind of a channel is chosen once, and so follows from its key. */
const channels = fc.uniqueArray(key, { maxLength: 3 }).chain((keys) =>
  fc.tuple(...keys.map(() => fc.tuple(name, fc.boolean(), fc.constantFrom('one', 'two')))).map((drawn) =>
    Object.fromEntries(
      keys.map((one, index) => {
        const [called = 'x', enabled = true, where = 'one'] = drawn[index] ?? []
        const destination: Record<string, string> =
          one < 'b'
            ? { ntfy_topic: where }
            : { telegram_chat: '-100123', telegram_token: `123456789:AAF${where}xxxxxxxxxxxxxxxxxxxxxxxxxxxxx` }
        return [one, { name: called, kind: one < 'b' ? 'ntfy' : 'telegram', enabled, destination }]
      }),
    ),
  ),
)

/** What routes and windows are about, of the things that there are. */
function scopeOf(checks: readonly string[], heartbeats: readonly string[]) {
  const some = (keys: readonly string[]) => fc.subarray([...keys].sort(), { minLength: Math.min(1, keys.length) })
  const subjects = fc.record({ checks: some(checks), heartbeats: some(heartbeats) })
  const others: fc.Arbitrary<FileScope>[] = [fc.constant({ all: true }), fc.constant({ tags: ['shop', 'web'] })]
  return checks.length + heartbeats.length === 0 ? fc.oneof(...others) : fc.oneof(...others, subjects)
}

const QUIET = { from: '22:00', to: '07:00', days: [6, 7], zone: 'Europe/Paris', holds_down: true }

const file: fc.Arbitrary<ConfigFile> = fc
  .record({
    channels,
    checks: fc.dictionary(key, fc.oneof({ weight: 3, arbitrary: check }, judged), { maxKeys: 5 }),
    heartbeats: fc.dictionary(key, heartbeat, { maxKeys: 3 }),
    depends: fc.boolean(),
    routes: fc.uniqueArray(key, { maxLength: 3 }),
    windows: fc.uniqueArray(key, { maxLength: 2 }),
    more: fc.constantFrom<Partial<FileRoute>[]>(
      {},
      { severity: 'critical' as const, delay_sec: 60 },
      { quiet: QUIET, events: ['down' as const, 'up' as const] },
    ),
  })
  .chain(({ channels, checks, heartbeats, depends, routes, windows, more }) => {
    const keys = Object.keys(checks)
    const [base = ''] = keys
    const scope = scopeOf(keys, Object.keys(heartbeats))
    const linked = Object.fromEntries(
      Object.entries(checks).map(([one, fields], index) => [
        one,
        depends && index > 0 ? { ...fields, depends_on: base } : fields,
      ]),
    )
    return fc.record({
      version: fc.constant(1 as const),
      channels: fc.constant(channels),
      checks: fc.constant(linked),
      heartbeats: fc.constant(heartbeats),
      routes: fc
        .tuple(...routes.map(() => scope))
        .map((scopes) =>
          Object.fromEntries(routes.map((one, index) => [one, { scope: scopes[index] ?? {}, steps: [], ...more }])),
        ),
      maintenance: fc.tuple(...windows.map(() => scope)).map((scopes) =>
        Object.fromEntries(
          windows.map((one, index) => [
            one,
            {
              scope: scopes[index] ?? {},
              starts_at: '2026-01-03T02:00',
              duration_sec: 3600,
              zone: 'Europe/Paris',
              rule: 'FREQ=WEEKLY;BYDAY=SA',
              is_public: index === 0,
            },
          ]),
        ),
      ),
    })
  })

/** What was planned or done, without ids that a dry run makes up. */
function deeds({ changes, counts, order }: DeployResult): unknown {
  return [changes.map(({ action, kind, key: of, fields }) => ({ action, kind, of, fields })), counts, order]
}

/** What the file says, as far as the server tells it: no secrets. */
function told(config: ConfigFile): ConfigFile {
  const { defaults: _, channels, ...rest } = sparse(config)
  if (!channels) return rest
  const open = Object.entries(channels).map(([one, given]) => {
    const { telegram_token: _secret, ...destination } = given.destination ?? {}
    return [one, { ...given, destination }]
  })
  return { ...rest, channels: Object.fromEntries(open) }
}

/** Through its text, as a person would write it. Sections that are empty are there: what they do not name is pruned. */
function written(config: ConfigFile): Promise<ReadFile> {
  const empty = SECTIONS.filter((section) => Object.keys(config[section] ?? {}).length === 0)
  return readConfigFile('f', writeConfigFile(config, 's') + empty.map((section) => `${section}: {}\n`).join(''), {})
}

test('after any configuration, any other leaves no difference, is what the plan said, and is what pull writes', async () => {
  const schema = await readSchema()
  await fc.assert(
    fc.asyncProperty(file, async (drawn) => {
      const [first = channel, ...others] = Object.keys(drawn.channels ?? {})
      const rotation = { channels: [first, ...others], starts_on: '2026-11-23', at: '09:00', zone: 'Europe/Paris' }
      const steps = others.length === 0 ? [{ channels: [first] }] : [{ channels: others }, { after_sec: 300, rotation }]
      const routes = Object.entries(drawn.routes ?? {}).map(([one, route]) => [one, { ...route, steps }])
      const entries = Object.keys(drawn.checks ?? {}).map((check) => ({ check, public_name: `The ${check}` }))
      const status_page = {
        slug: 'plan-apply',
        title: first,
        enabled: others.length === 0,
        entries: entries.reverse().slice(0, 2),
      }
      const wanted = await written({ ...drawn, routes: Object.fromEntries(routes), status_page })
      const planned = await deploy(client, wanted, { prune: true, dryRun: true })
      const done = await deploy(client, wanted, { prune: true, dryRun: false })
      expect(deeds(done)).toEqual(deeds(planned))
      expect(isDifferent(await deploy(client, wanted, { prune: true, dryRun: true }))).toBe(false)
      const pulled = fileOf(await readThings(client, SECTIONS), schema, await readStatusPage(client))
      expect(sparse(pulled)).toEqual(told(wanted.config))
      expect(Object.keys(pulled.routes ?? {})).toEqual(Object.keys(wanted.config.routes ?? {}))
    }),
    { numRuns: 10, endOnFailure: true },
  )
})
