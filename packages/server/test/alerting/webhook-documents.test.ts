// The documents of webhooks describe what the server sends: schemas, types, the SDK's verifier, the receivers in docs/reference/webhooks.md.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { verifyWebhook, type WebhookEvent } from '@dogwatch/account-sdk/webhooks'
import type { Channel, Dispatch } from '@dogwatch/channels/channel'
import { createChannels } from '@dogwatch/channels/registry'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { testChannel } from '@dogwatch/domain/channels/test-channel'
import { EVENT_TYPES } from '@dogwatch/domain/events/event'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { acknowledge } from '@dogwatch/domain/incidents/acknowledge'
import { sweepFailing } from '@dogwatch/domain/monitors/failing'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { webhookFiles } from '../../../../scripts/webhook-files.ts'
import { DEFAULT_BUDGETS } from '../../../alerting/src/budgets.ts'
import { type DeliveryDeps, deliverOnce } from '../../../alerting/src/deliver.ts'
import { messageFor as inWords } from '../../../alerting/src/message.ts'
import { EVENTS } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { pass } from '../../../api/test/alerting/silence.ts'
import { type Monitor, result, world } from '../support/world.ts'

const DOCS = fileURLToPath(new URL('../../docs/reference/', import.meta.url))
const PAGE = readFileSync(join(DOCS, 'webhooks.md'), 'utf8')
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

let inbox: Receiver
beforeAll(async () => {
  inbox = await receiver()
})
afterAll(() => inbox.close())

/** What a body must be, where an object has no field that the schema does not name. */
const CLOSED = new Map<string, z.ZodType>(
  EVENT_TYPES.map((type) => {
    const schema = JSON.parse(readFileSync(join(DOCS, 'webhooks', `${type}.schema.json`), 'utf8'))
    return [type, z.fromJSONSchema(close(schema) as Parameters<typeof z.fromJSONSchema>[0])]
  }),
)

function close(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(close)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, close(value)]))
  return 'properties' in node && 'type' in node ? { ...copy, additionalProperties: false } : copy
}

/** What the schema of its type has against a body: nothing, if it is right. */
function faultsOf(body: unknown): unknown {
  const { type } = body as { type: string }
  return CLOSED.get(type)?.safeParse(body).error?.issues ?? []
}

describe('each type of event is documented', () => {
  test('there is a schema for each, and no other', () => {
    expect(readdirSync(join(DOCS, 'webhooks')).sort()).toEqual(
      [...EVENT_TYPES].map((type) => `${type}.schema.json`).sort(),
    )
  })

  test.each(EVENT_TYPES)('%s has a row in docs/reference/webhooks.md that leads to its schema', (type) => {
    expect(PAGE.split('\n').filter((line) => line.startsWith(`| \`${type}\` |`))).toEqual([
      expect.stringContaining(`(webhooks/${type}.schema.json)`),
    ])
  })
})

describe('the schemas tell right from wrong', () => {
  const timestamp = '2026-11-20T12:00:00.000000Z'

  test.each(Object.entries(EVENTS))('%s is as its schema says', (_, { type, data }) => {
    expect(faultsOf({ type, timestamp, data })).toEqual([])
  })

  const data = EVENTS['a check is up']?.data ?? {}
  const { ended_at: _, ...endless } = data
  test.each([
    ['a field that is not named', { ...data, target: 'x' }],
    ['no end', endless],
    ['another state', { ...data, state: 'down' }],
    ['a time that is none', { ...data, since: 'yesterday' }],
    ['half a failure', { ...data, failures: 0.5 }],
  ])('%s is a fault', (_, wrong) => {
    expect(faultsOf({ type: 'check.up', timestamp, data: wrong })).not.toEqual([])
  })
})

test('the generator refuses a type that it does not know instead of leaving it out', () => {
  const source = (type: string) => `export interface EventData { 'a.b': { field: ${type} } }`
  expect(webhookFiles(source('string'))[0]?.text).toContain('"field"')
  for (const type of [
    'unknown',
    'Date',
    'string | number',
    'string | undefined',
    'Record<string, string>',
    '[string]',
  ]) {
    expect(() => webhookFiles(source(type))).toThrow(/does not know/)
  }
})

test('every type of event that the server really sends is verified by the SDK and is as its schema says', async () => {
  const w = await world()
  try {
    const org = await w.org()
    const settings = { egress_allow: ['127.0.0.0/8'], smtp_url: undefined, mail_from: undefined, ntfy_url: 'http://x' }
    const sending: DeliveryDeps = {
      ...w.deps,
      channels: createChannels(settings),
      public_url: 'https://dogwatch.example',
    }
    const hook = { kind: 'webhook', name: 'hook', webhook_url: inbox.url, webhook_secret: SECRET } as const
    const channel = await createChannel(w.deps, org.org_id, hook)
    const got: WebhookEvent[] = []
    const drain = async () => {
      inbox.got.length = 0
      while ((await deliverOnce(sending)).claimed > 0) continue
      for (const { headers, body } of inbox.got) {
        const { event } = await verifyWebhook({ headers, body }, { secret: SECRET, now: () => w.clock.now().getTime() })
        expect(faultsOf(event)).toEqual([])
        got.push(event)
      }
    }
    const rack = await w.monitor(org, 'rack 4')
    const [guid = ''] = await w.checks(org, [{ name: 'shop', resend_interval_sec: 600, interval_sec: 60 }], 'all')
    const [shown = ''] = await w.checks(
      org,
      [{ name: 'docs', interval_sec: 60, degraded_over_ms: 500, cert_warn_days: 14 }],
      'all',
    )
    const [other = ''] = await w.checks(org, [{ name: 'api', interval_sec: 60 }], 'all')
    const upload = (by: Monitor, id: string, success: boolean) =>
      by.client.upload([result(id, { ran_at: w.clock.now().toISOString(), success, ...(!success && { error: 'x' }) })])
    const wanted = { name: 'backup', interval_sec: 3600, grace_sec: 300, resend_interval_sec: 600 }
    const { token, guid: job } = await createHeartbeat(w.deps, org.org_id, { ...wanted, show_on_status_page: false })
    const ping = (suffix: string) => fetch(`${w.direct}/ping/${token}${suffix}`)

    await testChannel(w.deps, channel.id)
    for (const [latency_ms, days] of [
      [900, 5],
      [80, 5],
      [80, 90],
    ] as const) {
      const [ran_at, cert_expires_at] = [0, days * 86_400_000].map((ms) =>
        new Date(w.clock.now().getTime() + ms).toISOString(),
      )
      await rack.client.upload([result(shown, { ran_at, latency_ms, cert_expires_at })] as Parameters<
        typeof rack.client.upload
      >[0])
      w.clock.forward(1)
    }
    await ping('')
    await ping('/3')
    await upload(rack, guid, false)
    await drain()
    // The monitor is there and runs one of its checks alone.
    await pass(w, 660, () => upload(rack, guid, false))
    await remind(w.deps)
    await drain()
    w.clock.forward(30)
    const bob = { person_id: 0, email: 'bob@example.com', impersonator_email: null }
    await acknowledge(w.deps, { org_id: org.org_id, kind: 'check', guid }, bob)
    await acknowledge(w.deps, { org_id: org.org_id, kind: 'heartbeat', guid: job }, bob)
    await upload(rack, guid, true)
    await upload(rack, other, true)
    await ping('')
    await pass(w, 60, () => upload(rack, other, true))
    await drain()
    // Now it is not.
    await pass(w, 300)
    await drain()
    await pass(w, 60, () => rack.client.ping())
    await drain()
    // One that changes too often, until it stays as it is.
    const [flappy = ''] = await w.checks(org, [{ name: 'flappy', interval_sec: 60 }], 'all')
    for (const success of [false, true, false, true, false]) {
      w.clock.forward(1)
      await upload(rack, flappy, success)
    }
    await pass(w, 1860, () => upload(rack, flappy, false))
    await drain()
    // Many that fail from this monitor at once.
    const many = await w.checks(
      org,
      Array.from({ length: 14 }, () => ({ interval_sec: 60 })),
      'all',
    )
    for (const success of [true, false, true]) {
      w.clock.forward(1)
      const ran_at = w.clock.now().toISOString()
      await rack.client.upload(many.map((id) => result(id, { ran_at, success })))
      await sweepFailing(w.deps)
      await drain()
    }
    // More than its channel takes: the next alerts are told together.
    sending.budgets = { ...DEFAULT_BUDGETS, channel: { per_hour: 1, burst: 1 } }
    await upload(rack, guid, false)
    await ping('/3')
    await drain()
    await pass(w, 3600, () => upload(rack, guid, false))
    await drain()
    // The others are for receivers that keep incidents.
    const sent = EVENT_TYPES.filter((type) => !type.endsWith('.closed'))
    expect(new Set(got.map(({ type }) => type))).toEqual(new Set(sent))
    const ups = got.flatMap((event) => (event.type === 'check.up' ? [event.data.ended_at] : []))
    expect(ups).toEqual([expect.any(String), expect.any(String), expect.any(String)])
  } finally {
    await w.close()
  }
})

/** How a receiver in each language is run: it reads secret, headers and body as JSON from a file and prints what it finds. */
const RECEIVERS: Record<string, { program: string; asks: string; file: string; main: string }> = {
  Node: {
    program: process.execPath,
    asks: '--version',
    file: 'receiver.mjs',
    main: `import { readFileSync } from 'node:fs'
const cases = JSON.parse(readFileSync(process.argv[2], 'utf8'))
console.log(JSON.stringify(cases.map(({ secret, headers, body }) => verify(secret, headers, Buffer.from(body)))))`,
  },
  Python: {
    program: 'python3',
    asks: '--version',
    file: 'receiver.py',
    main: `import json, sys
cases = json.load(open(sys.argv[1], encoding="utf-8"))
print(json.dumps([verify(one["secret"], one["headers"], one["body"].encode()) for one in cases]))`,
  },
  Go: { program: 'go', asks: 'version', file: 'receiver.go', main: '' },
  Ruby: {
    program: 'ruby',
    asks: '--version',
    file: 'receiver.rb',
    main: `require "json"
cases = JSON.parse(File.read(ARGV[0], encoding: "utf-8"))
puts JSON.generate(cases.map { |one| verify(one["secret"], one["headers"], one["body"]) })`,
  },
}

const GO_MAIN = `package main

import (
	"encoding/json"
	"os"
)

func main() {
	var cases []struct {
		Secret  string
		Headers map[string]string
		Body    string
	}
	file, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(file, &cases); err != nil {
		panic(err)
	}
	found := []bool{}
	for _, one := range cases {
		found = append(found, Verify(one.Secret, one.Headers, []byte(one.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(found)
}
`

describe('the receivers in docs/reference/webhooks.md take what the server sends, and nothing else', () => {
  const isThere = ({ program, asks }: { program: string; asks: string }) => spawnSync(program, [asks]).status === 0

  test.each(Object.entries(RECEIVERS).filter(([, one]) => isThere(one)))('in %s', async (name, receives) => {
    const { program, file, main } = receives
    const [, code = ''] = PAGE.slice(PAGE.indexOf(`### ${name}\n`)).split(/^```.*\n/m)
    const folder = mkdtempSync(join(tmpdir(), 'dogwatch-receiver-'))
    try {
      writeFileSync(join(folder, file), `${code}\n${main}`)
      writeFileSync(join(folder, 'main.go'), GO_MAIN)
      const cases = await receiverCases()
      writeFileSync(join(folder, 'cases.json'), JSON.stringify(cases))
      const files = name === 'Go' ? ['run', file, 'main.go'] : [file]
      const { stdout } = await promisify(execFile)(program, [...files, 'cases.json'], { cwd: folder })
      expect(JSON.parse(stdout)).toEqual(cases.map(({ want }) => want))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  interface Case {
    secret: string
    headers: Record<string, string>
    body: string
    want: boolean
  }

  /** A delivery of each event by the channel itself, and what a stranger might make of one. */
  async function receiverCases(): Promise<Case[]> {
    const settings = { egress_allow: ['127.0.0.0/8'], smtp_url: undefined, mail_from: undefined, ntfy_url: '' }
    const { webhook: channel } = createChannels(settings)
    if (!channel) throw new Error('there is no webhook')
    const encoded: Case[] = []
    for (const name of Object.keys(EVENTS)) encoded.push(await caseOf(channel, name, SECRET))
    const plain = await caseOf(channel, 'a check with an unpleasant name is down', 'пароль 🔑')
    const signature = String(plain.headers['webhook-signature'])
    const changed = (headers: Record<string, string>, want = false) => ({
      ...plain,
      headers: { ...plain.headers, ...headers },
      want,
    })
    return [
      ...encoded,
      plain,
      changed({ 'webhook-signature': `v1,AAAA v2,${signature.slice(3)} ${signature}` }, true),
      changed({ 'webhook-signature': `v2,${signature.slice(3)}` }),
      changed({ 'webhook-signature': '' }),
      changed({ 'webhook-id': 'msg_2' }),
      changed({ 'webhook-timestamp': String(Number(plain.headers['webhook-timestamp']) - 1) }),
      changed({ 'webhook-timestamp': 'now' }),
      { ...plain, body: `${plain.body} `, want: false },
      { ...plain, secret: 'another', want: false },
      { ...(await caseOf(channel, 'a channel is tested', SECRET, 600)), want: false },
    ]
  }

  async function caseOf(channel: Channel, name: string, secret: string, ago_sec = 0): Promise<Case> {
    const { type, data } = EVENTS[name] ?? { type: '', data: {} }
    const timestamp = '2026-11-20T12:00:00.000000Z'
    const dispatch: Dispatch = {
      webhook_id: `msg_${name.length}`,
      sent_at: new Date(Date.now() - ago_sec * 1000),
      ...{ type, timestamp, data },
      message: inWords({ type, timestamp, data }, 'https://dogwatch.example'),
      destination: { webhook_url: inbox.url, webhook_secret: secret },
    }
    expect(await channel.send(dispatch)).toMatchObject({ kind: 'delivered' })
    const { headers = {}, body = '' } = inbox.got.at(-1) ?? {}
    return { secret, headers: headers as Record<string, string>, body, want: true }
  }
})
