// The house rules of the documents, and the gate that keeps them additive.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fieldNames } from '@dogwatch/channels/registry'
import { FIELD_NAMES, fieldsWith } from '@dogwatch/check-rules/fields'
import { document as account } from '@dogwatch/contract/account'
import { document as config } from '@dogwatch/contract/config'
import { document as monitor } from '@dogwatch/contract/monitor'
import { afterAll, describe, expect, test } from '@jest/globals'
import { namedKinds } from '../support/channel-flags.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

interface Schema {
  type?: string
  format?: string
  additionalProperties?: unknown
  properties?: Record<string, Schema>
  required?: string[]
}
interface Operation {
  operationId: string
  description: string
  parameters?: { name: string; in: string; allowReserved?: boolean; schema: Schema }[]
  responses: Record<
    string,
    { headers: Record<string, { required?: boolean }>; content: Record<string, { schema: Schema }> }
  >
}

const documents = { monitor, account, config } as unknown as Record<
  string,
  {
    openapi: string
    info: { version: string }
    servers: { url: string }[]
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Schema> }
  }
>
const operations = Object.entries(documents).flatMap(([name, document]) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ what: `${name}: ${method} ${path}`, method, operation })),
  ),
)

test('the versions and prefixes are the published ones', () => {
  const said = Object.values(documents).map(({ openapi, info, servers }) => [
    openapi,
    info.version,
    servers.map(({ url }) => url),
  ])
  expect(said).toEqual([
    ['3.0.3', '3.0.0', ['/monitor-api/v1']],
    ['3.0.3', '1.0.0', ['/account-api/v1']],
    ['3.0.3', '1.0.0', ['/config-api/v1']],
  ])
})

test('the documents have no references, and the files that they are generated into stay small', () => {
  for (const [name, document] of Object.entries(documents)) {
    expect(JSON.stringify(document)).not.toContain('"$ref"')
    expect(statSync(join(root, `packages/contract/src/${name}.gen.ts`)).size).toBeLessThan(1_000_000)
  }
})

test('the account API is read-only', () => {
  expect(new Set(Object.values(documents.account?.paths ?? {}).flatMap((item) => Object.keys(item)))).toEqual(
    new Set(['get']),
  )
})

/** What it answers is text, in a format of others. */
const IN_TEXT = ['readMetrics']

describe.each(operations)('$what', ({ what, operation }) => {
  // Clients of the configuration API may ask for their errors in another form.
  const errors = what.startsWith('config:') ? ['text/plain', 'application/problem+json'] : ['text/plain']

  test('declares 401, 429, 500 and 503, the waits with Retry-After', () => {
    const success = operation.responses['201'] ? '201' : '200'
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining([success, '401', '429', '500', '503']))
    for (const status of ['429', '503'])
      expect(operation.responses[status]?.headers['Retry-After']?.required).toBe(true)
    expect(operation.responses['401']?.headers['WWW-Authenticate']?.required).toBe(true)
  })

  test('answers errors in text, and everything with X-Request-Id', () => {
    for (const [status, { headers, content }] of Object.entries(operation.responses)) {
      expect({ status, types: Object.keys(content) }).toEqual({
        status,
        types:
          Number(status) >= 400
            ? errors
            : [IN_TEXT.includes(operation.operationId) ? 'text/plain' : 'application/json'],
      })
      expect(headers['X-Request-Id']?.required).toBe(true)
    }
  })

  test('takes date-times in the query with raw colons', () => {
    for (const parameter of operation.parameters ?? []) {
      if (parameter.schema.format === 'date-time' && parameter.in === 'query')
        expect(parameter.allowReserved).toBe(true)
    }
  })
})

describe('every field of the service description is declared, with its presence', () => {
  const fields = (name: string, schema: string) => {
    const { properties = {}, required = [] } = documents[name]?.components.schemas[schema] ?? {}
    return Object.keys(properties)
      .map((field) => (required.includes(field) ? field : `${field}?`))
      .sort()
      .join(' ')
  }
  // Fields that came later are optional: check-fields.test.ts compares all of them with their rows.
  const withLater = (published: string, names: readonly string[]) => {
    const known = published.split(' ').map((field) => field.replace('?', ''))
    return [published, ...names.filter((name) => !known.includes(name)).map((name) => `${name}?`)].join(' ')
  }
  // The document may name the fields and the plan flag of a channel kind that came later, and need not.
  const accountHas = (schema: string, name: string) =>
    documents.account?.components.schemas[schema]?.properties?.[name] !== undefined
  const channelFields = fieldNames().filter((name) => accountHas('NotificationChannel', name))
  const channelFlags = namedKinds().map(({ flag }) => flag)
  const CHECK =
    'cert_expiry_warn_days? disable_redirects? down_interval_sec? headers? insecure_skip_verify? invert_result? match_mode? max_response_time_ms? post_data? resend_interval_sec? status_code_op? status_code_value? timeout_sec?'
  test.each([
    [
      'monitor',
      'Check',
      withLater(
        `${CHECK} deleted enabled guid interval_sec match_string monitor_count? monitor_rank? name result_detail_max_chars updated_at url`,
        fieldsWith({ isSynced: true }),
      ),
    ],
    ['monitor', 'ChecksResponse', 'checks now? class? runs? server_time wait_sec?'],
    ['monitor', 'RunRequest', 'id check_guid? check?'],
    [
      'monitor',
      'RunReport',
      'id success? not_run? ran_at? kind? error? http_status? latency_ms? phases? address? certificate_days? redirects? assertions? response_sample?',
    ],
    ['monitor', 'EnrollRequest', 'name region country city id? abilities?'],
    ['monitor', 'EnrollResponse', 'api_key monitor_id class?'],
    [
      'monitor',
      'Result',
      'check_guid cert_expires_at? cert_issued_at? error? http_status latency_ms monitor_id ran_at response_sample? retries? success timings?',
    ],
    ['monitor', 'ResultsRequest', 'remaining? results runs? sent_at? partial?'],
    ['monitor', 'ResultsResponse', 'accepted again?'],
    [
      'monitor',
      'MonitorStatus',
      'abilities? last_outage_ended_at? last_outage_sec? sent_at? unsent_results uptime_sec version',
    ],
    ['monitor', 'OKResponse', 'status? sync?'],
    [
      'account',
      'Check',
      withLater(
        `${CHECK} enabled guid interval_sec match_string name restricted result_detail_max_chars state? state_since? url`,
        FIELD_NAMES,
      ),
    ],
    [
      'account',
      'Result',
      'cert_expires_at? error? http_status? latency_ms monitor_id monitor_name? ran_at response_sample? retries? success timings?',
    ],
    ['account', 'CheckResultsPage', 'results next?'],
    ['account', 'CheckArrivalsPage', 'results cursor'],
    ['account', 'ResultsCursor', 'after after_monitor'],
    ['account', 'Monitor', 'id name region country city class enabled online? last_seen_at?'],
    [
      'account',
      'Heartbeat',
      withLater(
        'guid name interval_sec grace_sec enabled show_on_status_page state down_since? last_heartbeat_at? resend_interval_sec?',
        ['tags', 'cron', 'cron_zone'],
      ),
    ],
    ['account', 'Member', 'id email is_owner joined_at'],
    [
      'account',
      'NotificationChannel',
      withLater(
        'id name kind enabled ntfy_topic? email? webhook_url? webhook_secret? unconfirmed? destination?',
        channelFields,
      ),
    ],
    [
      'account',
      'Entitlements',
      withLater(
        'Plan? MaxChecks? MaxHeartbeats? MaxMembers? MaxNotificationChannels? MaxTimeoutSec? MinIntervalSec? RetentionRawDays? RetentionRollupDays? AllowChannelEmail? AllowChannelNtfy? AllowChannelSlack? AllowChannelWebhook? AllowStatusPage? CustomPriceCents? CustomPricePeriod?',
        channelFlags,
      ),
    ],
    [
      'account',
      'PlanUsage',
      'Checks? ChecksWithCertExpiry? Heartbeats? MaxTimeoutSec? MinIntervalSec? Members? NotificationChannels? StatusPageEnabled? UsedChannelKindsLabel?',
    ],
    ['account', 'AccountSettings', 'org_name entitlements plan_usage'],
    [
      'account',
      'AccountExport',
      'org_name generated_at entitlements plan_usage checks monitors heartbeats notification_channels members results',
    ],
  ])('%s %s', (name, schema, expected) => {
    expect(fields(name, schema)).toBe(expected.split(' ').sort().join(' '))
  })

  test('published answers stay open to new fields', () => {
    for (const { components } of Object.values(documents)) {
      for (const schema of Object.values(components.schemas)) {
        if (schema.properties) expect(schema.additionalProperties).toBeUndefined()
      }
    }
  })
})

describe('the additive-only gate', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dogwatch-gate-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const gate = (change: (text: string) => string, name = 'monitor') => {
    const released = join(root, `openapi/released/${name}.yaml`)
    const text = readFileSync(released, 'utf8')
    const changed = change(text)
    expect(changed).not.toBe(text)
    const revision = join(folder, `${name}.yaml`)
    writeFileSync(revision, changed)
    const cli = join(root, 'node_modules/@redocly/cli/bin/cli.js')
    const args = [cli, 'diff', released, revision, '--config', join(root, 'openapi/redocly.yaml'), '--fail-on', 'major']
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    return spawnSync(process.execPath, args, { env }).status
  }

  test.each([
    ['a field that is gone', (text: string) => text.replace(/ {8}monitor_count:\n(?: {10}.*\n)+/, '')],
    ['a field that is no longer sure to come', (text: string) => text.replace(/ +- server_time\n/, '')],
    ['a new demand on requests', (text: string) => text.replace('maxItems: 500', 'maxItems: 400')],
    ['a path that is gone', (text: string) => text.replace('  /ping:', '  /pong:')],
    ['an optional field of an answer that is gone', (text: string) => text.replace(/ {8}again:\n(?: {10}.*\n)+/, '')],
    ['another type', (text: string) => text.replace(/(monitor_rank:[\s\S]*?type: )integer/, '$1string')],
  ])('fails on %s', (_, change) => {
    expect(gate(change)).not.toBe(0)
  })

  test('fails on a kind that bulk changes no longer have', () => {
    expect(gate((text) => text.replace(/ +- \$ref: '#\/components\/schemas\/BulkRoute'\n/, ''), 'config')).not.toBe(0)
  })

  test('lets a new optional field pass', () => {
    expect(
      gate((text) =>
        text.replace(/( +)monitor_rank:\n/, '$1mood:\n$1  description: New.\n$1  type: string\n$1monitor_rank:\n'),
      ),
    ).toBe(0)
  })
})
