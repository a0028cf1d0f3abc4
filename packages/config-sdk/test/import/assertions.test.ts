// Rules of other tools that become assertions, methods, address families and proxies of a check.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from '@jest/globals'
import { stringify } from 'yaml'
import type { FileCheck } from '../../src/file/format.ts'
import { jsonPathOf } from '../../src/import/assertions.ts'
import type { Row } from '../../src/import/audit.ts'
import { SOURCES } from '../../src/import/index.ts'
import { databaseOf, folder, NOW, removeFolder } from './worlds.ts'

afterAll(removeFolder)

/** Imports files and returns their only check, with the report on a field. */
function imported(tool: string, texts: readonly string[], field: string): { check: FileCheck; said: Row | undefined } {
  const paths = texts.map((text, index) => {
    const path = join(folder, `assertions-${index}.yaml`)
    writeFileSync(path, text)
    return path
  })
  const moved = SOURCES.find(({ name }) => name === tool)?.read(paths, NOW)
  const [check = {}] = Object.values(moved?.file.checks ?? {})
  return { check, said: moved?.audit.rows.find((row) => row.field === field) }
}

describe('conditions of Gatus', () => {
  const endpoint = (condition: string, more: object = {}) => ({
    endpoints: [{ name: 'a', url: 'https://a.example.com', conditions: [condition], ...more }],
  })
  const read = (condition: string, more?: object) =>
    imported('gatus', [stringify(endpoint(condition, more))], `conditions ${condition}`)

  test.each<[string, NonNullable<FileCheck['assertions']>, string]>([
    ['[BODY].status == ok', [{ on: 'json', at: '$.status', is: 'eq', value: 'ok' }], 'carried'],
    ['[BODY].status != down', [{ on: 'json', at: '$.status', is: 'ne', value: 'down' }], 'differently'],
    ['[BODY].a-b[0].id == 7', [{ on: 'json', at: "$['a-b'][0].id", is: 'eq', value: 7 }], 'differently'],
    ['[BODY][0].up == true', [{ on: 'json', at: '$[0].up', is: 'eq', value: true }], 'differently'],
    ['[BODY].queue <= 10', [{ on: 'json', at: '$.queue', is: 'lte', value: 10 }], 'differently'],
    ['[BODY].name == pat(jo*.?)', [{ on: 'json', at: '$.name', is: 'regex', value: '(?s)^jo.*\\..$' }], 'differently'],
    ['[BODY].name == any(a, b+)', [{ on: 'json', at: '$.name', is: 'regex', value: '^(?:a|b\\+)$' }], 'differently'],
    [
      '[BODY].name != any(a, b)',
      [
        { on: 'json', at: '$.name', is: 'ne', value: 'a' },
        { on: 'json', at: '$.name', is: 'ne', value: 'b' },
      ],
      'differently',
    ],
    ['has([BODY].errors) == false', [{ on: 'json', at: '$.errors', is: 'absent' }], 'differently'],
    ['has([BODY].users) != false', [{ on: 'json', at: '$.users', is: 'exists' }], 'differently'],
    ['[RESPONSE_TIME] > 5', [{ on: 'timing', at: 'total', is: 'gt', value: 5 }], 'carried'],
    ['len([BODY].users) > 2', [{ on: 'json', at: '$.users[2]', is: 'exists' }], 'differently'],
    ['len([BODY]) < 5', [{ on: 'json', at: '$[4]', is: 'absent' }], 'differently'],
    [
      'len([BODY].users) == 1',
      [
        { on: 'json', at: '$.users[0]', is: 'exists' },
        { on: 'json', at: '$.users[1]', is: 'absent' },
      ],
      'differently',
    ],
  ])('%s', (condition, assertions, list) => {
    const { check, said } = read(condition)
    expect(check.assertions).toEqual(assertions)
    expect(said?.list).toBe(list)
  })

  test.each([
    '[BODY].a == [BODY].b',
    '[BODY].a..b == 1',
    '[BODY].a[*] == 1',
    '[BODY].name > abc',
    'len([BODY].users) != 3',
    'len([BODY].users) > many',
    'has([BODY].users) == maybe',
    '[BODY].name == pat([ab]*)',
    `[BODY].${'a.'.repeat(60)}b == 1`,
    `[BODY].name == any(${'x'.repeat(1001)})`,
    '[IP] == 192.0.2.1',
    '[CONTEXT].id == 1',
  ])('%s is refused with its reason', (condition) => {
    const { check, said } = read(condition)
    expect(check).not.toHaveProperty('assertions')
    expect(said).toMatchObject({ list: 'impossible', note: expect.stringMatching(/./) })
  })

  test('[DNS_RCODE] == NXDOMAIN', () => {
    const dns = { url: '192.0.2.53', dns: { 'query-name': 'gone.example.com', 'query-type': 'A' } }
    const { check, said } = read('[DNS_RCODE] == NXDOMAIN', dns)
    expect(check.assertions).toEqual([{ on: 'dns_rcode', is: 'eq', value: 'NXDOMAIN' }])
    expect(said?.list).toBe('carried')
  })

  test('a second rule about the body becomes an assertion', () => {
    const conditions = ['[BODY] == pat(*ok*)', '[BODY] != pat(*error*)']
    const { check } = read(conditions[0] ?? '', { conditions })
    expect(check).toMatchObject({
      match_string: 'ok',
      assertions: [{ on: 'body', is: 'not_contains', value: 'error' }],
    })
  })

  test('methods, bodies and proxies are carried', () => {
    const more = { method: 'PUT', body: '{}', client: { 'proxy-url': 'http://u:p%20w@proxy.example.com:3128' } }
    const { check, said } = imported('gatus', [stringify(endpoint('[STATUS] == any(200, 204)', more))], 'method')
    expect(check).toMatchObject({ method: 'PUT', post_data: '{}', proxy: 'http://u:${A_PROXY}@proxy.example.com:3128' })
    expect(check.status_codes).toEqual(['200', '204'])
    expect(said?.list).toBe('carried')
    expect(imported('gatus', [stringify(endpoint('[STATUS] == 200', { body: 'x' }))], 'body').check.method).toBe('GET')
  })
})

describe('modules of blackbox_exporter', () => {
  const jobs = (target: string) => ({
    scrape_configs: [
      { job_name: 'a', metrics_path: '/probe', params: { module: ['m'] }, static_configs: [{ targets: [target] }] },
    ],
  })
  const probe = (http: object, field: string, target = 'https://a.example.com') =>
    imported('blackbox', [stringify(jobs(target)), stringify({ modules: { m: { prober: 'http', http } } })], field)

  test.each<[object, string, object, string]>([
    [
      { fail_if_header_not_matches: [{ header: 'Access-Control-Allow-Origin', regexp: '\\*' }] },
      'http.fail_if_header_not_matches',
      { assertions: [{ on: 'header', at: 'Access-Control-Allow-Origin', is: 'regex', value: '\\*' }] },
      'carried',
    ],
    [
      { fail_if_header_matches: [{ header: 'Set-Cookie', regexp: '.*', allow_missing: true }] },
      'http.fail_if_header_matches',
      { assertions: [{ on: 'header', at: 'Set-Cookie', is: 'absent' }] },
      'carried',
    ],
    [
      { fail_if_body_not_matches_regexp: ['a', 'b'] },
      'http.fail_if_body_not_matches_regexp',
      { match_string: 'a', match_mode: 'regex', assertions: [{ on: 'body', is: 'regex', value: 'b' }] },
      'carried',
    ],
    [{ valid_status_codes: [200, 301] }, 'http.valid_status_codes', { status_codes: ['200', '301'] }, 'carried'],
    [
      { body_size_limit: '10KB' },
      'http.body_size_limit',
      { assertions: [{ on: 'size', is: 'lte', value: 10_240 }] },
      'carried',
    ],
    [
      { preferred_ip_protocol: 'ip4', ip_protocol_fallback: false },
      'http.preferred_ip_protocol',
      { ip_family: '4' },
      'carried',
    ],
    [{ ip_protocol_fallback: false }, 'http.ip_protocol_fallback', { ip_family: '6' }, 'carried'],
    [{ method: 'PATCH', body: 'x' }, 'http.method', { method: 'PATCH', post_data: 'x' }, 'carried'],
    [{ proxy_url: 'http://127.0.0.1:3128' }, 'http.proxy_url', { proxy: 'http://127.0.0.1:3128' }, 'differently'],
  ])('%j', (http, field, content, list) => {
    const { check, said } = probe(http, field)
    expect(check).toMatchObject(content)
    expect(said?.list).toBe(list)
  })

  test.each<[object, string]>([
    [
      { fail_if_header_matches: [{ header: 'Server', regexp: 'x', allow_missing: true }] },
      'http.fail_if_header_matches',
    ],
    [{ fail_if_body_json_matches_cel: 'body.a == 1' }, 'http.fail_if_body_json_matches_cel'],
    [{ valid_http_versions: ['HTTP/2.0'] }, 'http.valid_http_versions'],
    [{ body_size_limit: '10MB' }, 'http.body_size_limit'],
    [{ fail_if_header_matches: [{ header: 'Server', regexp: '(' }] }, 'http.fail_if_header_matches'],
    [{ proxy_url: 'ftp://proxy.example.com:21' }, 'http.proxy_url'],
  ])('%j is refused with its reason', (http, field) => {
    const { check, said } = probe(http, field)
    expect(check).not.toHaveProperty('assertions')
    expect(said).toMatchObject({ list: 'impossible', note: expect.stringMatching(/./) })
  })
})

describe('monitors of Uptime Kuma', () => {
  const proxy =
    'CREATE TABLE proxy (id, protocol, host, port, auth, username, password); ' +
    "INSERT INTO proxy VALUES (1, 'socks5h', 'proxy.example.com', 1080, 1, 'u', 'p w')"
  let nth = 0
  const monitor = (columns: Readonly<Record<string, string | number>>) => {
    nth += 1
    const path = databaseOf(`CREATE TABLE monitor (id, name, type, interval, url); ${proxy}`, `assertions-${nth}`)
    const row = { id: 1, name: 'a', type: 'http', interval: 60, url: 'https://a.example.com', ...columns }
    const names = Object.keys(row)
    const database = new DatabaseSync(path)
    for (const name of Object.keys(columns)) {
      if (!['type', 'url'].includes(name)) database.exec(`ALTER TABLE monitor ADD COLUMN "${name}"`)
    }
    const marks = names.map(() => '?').join(', ')
    database.prepare(`INSERT INTO monitor (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row))
    database.close()
    const moved = SOURCES.find(({ name }) => name === 'uptime-kuma')?.read([path], NOW)
    return { check: Object.values(moved?.file.checks ?? {})[0], rows: moved?.audit.rows ?? [] }
  }
  const query = (json_path: string, json_path_operator: string, expected_value: string) =>
    monitor({ type: 'json-query', json_path, json_path_operator, expected_value })

  test.each<[string, string, string, NonNullable<FileCheck['assertions']>]>([
    ['$.status', '==', 'ok', [{ on: 'json', at: '$.status', is: 'eq', value: 'ok' }]],
    ['data[-1].`a b`', '!=', '5', [{ on: 'json', at: "$.data[-1]['a b']", is: 'ne', value: 5 }]],
    ['level', '>', '10', [{ on: 'json', at: '$.level', is: 'gt', value: 10 }]],
    ['name', 'contains', '10', [{ on: 'json', at: '$.name', is: 'contains', value: '10' }]],
    ['$count(items)', '>=', '3', [{ on: 'json', at: '$.items[2]', is: 'exists' }]],
  ])('%s %s %s', (path, operator, expected, assertions) => {
    expect(query(path, operator, expected).check?.assertions).toEqual(assertions)
  })

  test('the offset and the stratum of a clock are limited', () => {
    const columns = {
      type: 'ntp',
      hostname: 'time.example.com',
      ntp_stratum_threshold: 5,
      ntp_time_offset_threshold: 100,
    }
    expect(monitor(columns).check?.assertions).toEqual([
      { on: 'stratum', is: 'lt', value: 5 },
      { on: 'offset_ms', is: 'lt', value: 100 },
      { on: 'offset_ms', is: 'gt', value: -100 },
    ])
  })

  test('a query with more than names and indexes is refused with its reason', () => {
    const { check, rows } = query('items[price > 5].name', '==', 'x')
    expect(check).not.toHaveProperty('assertions')
    expect(rows).toContainEqual(expect.objectContaining({ field: 'json_path', list: 'impossible' }))
  })

  test('proxies, address families, redirects and methods are carried', () => {
    const columns = { proxy_id: 1, ip_family: 'ipv6', maxredirects: 3, method: 'PUT', body: '{"a":1}' }
    expect(monitor(columns).check).toMatchObject({
      proxy: 'socks5://u:${A_PROXY}@proxy.example.com:1080',
      ip_family: '6',
      max_redirects: 3,
      method: 'PUT',
      post_data: '{"a":1}',
    })
  })

  test.each([
    [{ type: 'tailscale-ping', hostname: 'laptop' }, { url: 'icmp://laptop?count=1' }],
    [
      { type: 'rabbitmq', rabbitmq_nodes: '["https://rabbit.example.com:15672/r"]' },
      { url: 'https://rabbit.example.com:15672/r/api/health/checks/alarms/', status_code_value: 200 },
    ],
    [
      { type: 'globalping', subtype: 'ping', hostname: 'a.example.com', location: 'Tokyo' },
      { url: 'icmp://a.example.com?count=1' },
    ],
    [
      { type: 'globalping', subtype: 'http', keyword: 'ok' },
      { url: 'https://a.example.com', match_string: 'ok' },
    ],
    [
      { type: 'sip-options', hostname: 'sip.example.com', port: 5061 },
      {
        url: expect.stringMatching(/^udp:\/\/sip\.example\.com:5061\?send=OPTIONS%20sip.*&expect=SIP%2f2\.0%20200%20$/),
      },
    ],
  ])('%j', (columns, content) => {
    expect(monitor(columns).check).toMatchObject(content)
  })
})

test('paths of other tools are written as singular JSONPaths', () => {
  expect(['', 'a.b[0]', '$.a', '["x y"].z', "['it']", 'a[-1]', 'über.x1'].map((path) => jsonPathOf(path))).toEqual([
    '$',
    '$.a.b[0]',
    '$.a',
    "$['x y'].z",
    '$.it',
    '$.a[-1]',
    '$.über.x1',
  ])
  expect(['a[*]', 'a[?b]', 'a..b', 'a[0:2]', 'a[', 'a b'].map((path) => jsonPathOf(path))).toEqual(
    Array.from({ length: 6 }, () => undefined),
  )
})
