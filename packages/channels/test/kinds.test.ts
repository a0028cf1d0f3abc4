// Every kind that speaks HTTP, against a fake that speaks what its vendor documents and refuses what its vendor refuses: what is
// taken, what each answer means, and that no secret is told.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Channel, Dispatch, Outcome } from '../src/channel.ts'
import { secretsIn } from '../src/destination.ts'
import { openPost } from '../src/egress.ts'
import { openKind } from '../src/open-kind.ts'
import { channelKinds, findKind } from '../src/registry.ts'
import { withoutSecrets } from '../src/secrets.ts'
import { RenderThread } from '../src/webhook-template/apart.ts'
import { templateKind } from '../src/webhook-template/kind.ts'
import { firing } from './fakes/alertmanager.ts'
import { standInFor, VENDORS } from './fakes/all.ts'
import { events } from './fakes/matrix.ts'
import { openAliases } from './fakes/opsgenie.ts'
import { openAlerts } from './fakes/pagerduty.ts'
import { type Fakes, type Mood, openFakes, type Vendor, type VendorRequest } from './fakes/vendor.ts'
import { type Changes, dispatchOf, EVENTS } from './support/dispatches.ts'

/** Headers of any request. The others say who asks, so a vendor refuses a request without them. */
const USUAL_HEADERS = new Set(['accept', 'connection', 'content-length', 'content-type', 'host', 'user-agent'])
/** How long an attempt may take where nobody answers. */
const IMPATIENT_MS = 200
let fakes: Fakes
beforeAll(async () => {
  fakes = await openFakes(VENDORS)
  standInFor(VENDORS, fakes.at)
})
beforeEach(() => {
  fakes.mood = () => undefined
  fakes.taken.length = 0
  fakes.asked.length = 0
})
afterAll(() => fakes.close())

const settings = {
  egress_allow: ['127.0.0.1'],
  smtp_url: undefined,
  mail_from: undefined,
  ntfy_url: 'http://127.0.0.1:1',
}

// A busy machine gives the thread its time late, and that is no fault of a template.
const patient = templateKind(new RenderThread({ wait_ms: 60_000, stuck_ms: 60_000 }))

function channelOf({ kind: name }: Vendor, patience_ms?: number): Channel {
  const kind = name === patient.name ? patient : findKind(name)
  if (!kind) throw new Error(`there is no kind ${name}`)
  return openKind(kind, { receiver: openPost(settings, patience_ms), operator: openPost('anywhere') }, settings)
}

const dispatch = (vendor: Vendor, name?: string, changes?: Changes) =>
  dispatchOf(vendor.destination(fakes.at(vendor)), name, changes)

/** As the delivery log has it. */
async function tell(vendor: Vendor, sent: Dispatch, patience_ms?: number): Promise<Outcome> {
  const { destination } = sent
  return withoutSecrets(await channelOf(vendor, patience_ms).send(sent), secretsIn({ kind: vendor.kind, destination }))
}

test('every kind that asks a vendor has a fake of it', () => {
  const first = ['ntfy', 'webhook', 'slack']
  const asking = channelKinds().filter(({ name, sending }) => sending.by === 'http' && !first.includes(name))
  expect(VENDORS.map(({ kind }) => kind).toSorted()).toEqual(asking.map(({ name }) => name).toSorted())
})

describe.each(VENDORS)('$kind', (vendor) => {
  test('takes every event', async () => {
    // In turn, because templates that have to wait for each other too long are put off.
    for (const name of Object.keys(EVENTS)) {
      const outcome = await tell(vendor, dispatch(vendor, name))
      expect([name, outcome]).toEqual([name, { kind: 'delivered', status: expect.any(Number) }])
    }
    expect(fakes.taken).toHaveLength(Object.keys(EVENTS).length)
    const said = fakes.taken.map(({ words }) => words).join('\n')
    expect(said).toContain('shop')
    expect(said).toContain('backup')
  })

  test('takes texts that are as long and as unpleasant as they can be', async () => {
    const nasty = ['<', '&', '"', '@everyone ', '~~~~~~~~\n', '\\', '*', '🐕', 'ä', '<users/all>', ']', '`', '|']
    for (const part of nasty) {
      const text = part.repeat(400)
      const words = { shop: text, api: text, 'Alice & Co': text, 'refused: connection refused': text, refused: text }
      expect([part, await tell(vendor, dispatch(vendor, 'a check is down', { words }))]).toMatchObject([
        part,
        { kind: 'delivered' },
      ])
      const row = { guid: 'g', name: text, since: '2026-11-20T11:00:00.000000Z' }
      const data = { checks: Array.from({ length: 500 }, () => row) }
      expect([part, await tell(vendor, dispatch(vendor, 'checks are not monitored', { words, data }))]).toMatchObject([
        part,
        { kind: 'delivered' },
      ])
    }
  })

  test('what cannot be sent now is sent later', async () => {
    const { limited, lie } = vendor
    const meets = async (mood: Mood) => {
      fakes.mood = () => mood
      return tell(vendor, dispatch(vendor), mood === 'hangs' ? IMPATIENT_MS : undefined)
    }
    expect(await meets('limited')).toEqual({
      kind: 'retry',
      status: 429,
      reason: expect.stringMatching(/^status 429\b/),
      ...(limited.wait_sec !== undefined && { retry_after_sec: limited.wait_sec }),
    })
    expect(await meets('fails')).toEqual({ kind: 'retry', status: 503, reason: 'status 503' })
    expect(await meets('hangs')).toEqual({ kind: 'retry', reason: `no response within ${IMPATIENT_MS / 1000} s` })
    expect(await meets('hangs up')).toEqual({
      kind: 'retry',
      reason: expect.stringMatching(/socket hang up|ECONNRESET/),
    })
    expect(await meets('breaks off')).toEqual({ kind: 'retry', status: 503, reason: 'status 503' })
    if (lie) {
      const outcome = { kind: 'retry', status: lie.status, reason: expect.stringMatching(/^status 20\d: ./) }
      expect(await meets('lies')).toEqual(outcome)
    }
    expect(fakes.taken).toEqual([])
  })

  test.each(Object.entries(vendor.refusals ?? {}))('refused: %s', async (_, { with: other, is, status, says }) => {
    const at = fakes.at(vendor)
    const given = Object.entries(other).map(([field, value]) => [field, value.startsWith('/') ? at + value : value])
    const destination = { ...vendor.destination(at), ...(Object.fromEntries(given) as Record<string, string>) }
    const outcome = await tell(vendor, dispatchOf(destination))
    expect(outcome).toMatchObject({
      kind: is,
      status,
      ...(says !== undefined && { reason: expect.stringContaining(says) }),
    })
    expect(fakes.taken).toEqual([])
  })

  test.each([400, 401, 404, 500, 200])(
    'an answer with status %i that repeats all it was told tells no secret',
    async (status) => {
      const sent = dispatch(vendor)
      fakes.mood = (_, asked) => ({ status, body: echo(asked) })
      const outcome = await tell(vendor, sent)
      const told = JSON.stringify(outcome)
      for (const secret of secretsOfVendor(vendor)) expect(told).not.toContain(secret)
      expect(told).not.toMatch(/pa55word|Basic [A-Za-z0-9+/]{20}/)
    },
  )

  test('the fake refuses half a message, one without a sender and one that is too long', async () => {
    await tell(vendor, dispatch(vendor))
    const asked = fakes.asked[0]?.asked as VendorRequest
    expect(vendor.answer(asked).status).toBeLessThan(300)
    const isForm = asked.headers['content-type'] === 'application/x-www-form-urlencoded'
    expect(vendor.answer({ ...asked, body: isForm ? '' : asked.body.slice(0, -3) }).status).toBeGreaterThanOrEqual(400)
    const own = Object.keys(asked.headers).filter((name) => !USUAL_HEADERS.has(name))
    for (const name of own) {
      const { [name]: _, ...headers } = asked.headers
      expect([name, vendor.answer({ ...asked, headers }).status >= 400]).toEqual([name, true])
    }
    if (vendor.overlong)
      expect(vendor.answer({ ...asked, body: vendor.overlong(asked.body) }).status).toBeGreaterThanOrEqual(400)
  })
})

/** Everything it was told, wherever a vendor might say something. */
function echo({ path, query, headers, body }: VendorRequest): unknown {
  const all = `${headers.authorization ?? ''} ${path} ${query.toString()} ${body} ${[...query.values()].join(' ')} ${Object.values(headers).join(' ')}`
  const said = [
    all.slice(0, 200),
    all.slice(200, 400),
    headers.authorization ?? '',
    path.slice(-180),
    [...query.values()].join(' '),
  ].join(' ')
  return {
    message: said,
    error: said,
    errors: [said],
    description: said,
    msg: said,
    code: said,
    errcode: said,
    result: said,
    ok: false,
    status: 0,
    errorDescription: said,
  }
}

function secretsOfVendor(vendor: Vendor): string[] {
  const { fields = {} } = findKind(vendor.kind) ?? {}
  return Object.entries(vendor.destination('http://127.0.0.1:1')).flatMap(([field, value]) => {
    const rules = fields[field]
    if (rules?.input === 'url') {
      const url = new URL(value)
      return [...url.pathname.split('/'), ...url.searchParams.values()].filter(({ length }) => length >= 20)
    }
    return rules?.isSecret === true && rules.input !== 'lines' ? [value] : []
  })
}

describe('receivers that keep incidents', () => {
  const KEEPERS = [
    { kind: 'pagerduty', open: openAlerts },
    { kind: 'opsgenie', open: openAliases },
    { kind: 'alertmanager', open: firing },
  ]
  const STORIES: [what: string, events: [name: string, isOpen: boolean][]][] = [
    [
      'a check',
      [
        ['a check is down', true],
        ['a check is still down', true],
        ['a check is up', false],
      ],
    ],
    [
      'a check by its threshold',
      [
        ['a check is down', true],
        ['a check is up by its threshold', false],
      ],
    ],
    [
      'a heartbeat',
      [
        ['a heartbeat is overdue', true],
        ['a heartbeat is still overdue', true],
        ['a heartbeat is up', false],
      ],
    ],
    [
      'a monitor',
      [
        ['a monitor is offline', true],
        ['a monitor is online', false],
      ],
    ],
    [
      'a check that is not monitored',
      [
        ['a check is not monitored', true],
        ['a check is monitored again', false],
      ],
    ],
  ]
  test.each(KEEPERS.flatMap(({ kind, open }) => STORIES.map(([what, story]) => ({ kind, open, what, story }))))(
    '$kind: $what is open as long as it lasts, and once',
    async ({ kind, open, story }) => {
      const vendor = VENDORS.find((one) => one.kind === kind) as Vendor
      open.clear()
      for (const [name, isOpen] of story) {
        expect(await tell(vendor, dispatch(vendor, name))).toMatchObject({ kind: 'delivered' })
        expect([name, open.size]).toEqual([name, isOpen ? 1 : 0])
      }
    },
  )

  test.each(KEEPERS)('$kind: of two checks that are not monitored one may be back', async ({ kind, open }) => {
    const vendor = VENDORS.find((one) => one.kind === kind) as Vendor
    open.clear()
    const [shop, api] = ['shop', 'api'].map((name) => ({ guid: name, name, since: '2026-11-20T11:40:00.000000Z' }))
    await tell(vendor, dispatch(vendor, 'checks are not monitored', { data: { checks: [shop, api] } }))
    expect(open.size).toBeGreaterThan(0)
    await tell(
      vendor,
      dispatch(vendor, 'a check is monitored again', { data: { checks: [shop], still_unmonitored: [api] } }),
    )
    expect(open.size).toBe(1)
    await tell(
      vendor,
      dispatch(vendor, 'a check is monitored again', { data: { checks: [api], still_unmonitored: [] } }),
    )
    expect(open.size).toBe(0)
  })

  test('are these, and no others', () => {
    const keepers = channelKinds().filter(({ keepsIncidents }) => keepsIncidents)
    expect(keepers.map(({ name }) => name)).toEqual(KEEPERS.map(({ kind }) => kind))
  })
})

test('a message that Matrix gets twice is one event', async () => {
  const vendor = VENDORS.find(({ kind }) => kind === 'matrix') as Vendor
  events.clear()
  for (let i = 0; i < 2; i++) expect(await tell(vendor, dispatch(vendor))).toMatchObject({ kind: 'delivered' })
  expect(events.size).toBe(1)
})
