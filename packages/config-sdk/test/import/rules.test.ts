// The parts that all importers share: statuses, schedules, retries, names, and files of strangers.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test } from '@jest/globals'
import type { FileCheck } from '../../src/file/format.ts'
import { keyFrom, variableFrom } from '../../src/file/keys.ts'
import { ImportError, SOURCES } from '../../src/import/index.ts'
import { tagFrom } from '../../src/import/names.ts'
import { setRetries } from '../../src/import/retries.ts'
import { durationOf, ruleOfCron, spanOfDay } from '../../src/import/schedules.ts'
import { acceptStatuses, type StatusRule, spanOf } from '../../src/import/statuses.ts'
import { databaseUrl, dnsUrl, mqttUrl, pingUrl, recordPattern, recordText, udpUrl } from '../../src/import/targets.ts'
import { databaseOf, folder, NOW, removeFolder } from './worlds.ts'

afterAll(removeFolder)

describe('accepted statuses become one comparison, or else a list', () => {
  const ruleFor = (...codes: string[]) => {
    const check: StatusRule = {}
    const said = acceptStatuses(
      check,
      codes.flatMap((code) => spanOf(code) ?? []),
    )
    return [said.list, ...(check.status_codes ?? [check.status_code_op, check.status_code_value])]
  }

  test.each([
    [['200-299'], ['carried', 'lt', 300]],
    [
      ['2xx', '3xx'],
      ['carried', undefined, undefined],
    ],
    [['204'], ['carried', 'eq', 204]],
    [['100-599'], ['carried', 'gte', 100]],
    [
      ['200-499', '501-599'],
      ['carried', 'ne', 500],
    ],
    [['400-599'], ['carried', 'gte', 400]],
    [
      ['200', '201', '204'],
      ['carried', '200-201', '204'],
    ],
    [
      ['200-299', '401'],
      ['carried', '200-299', '401'],
    ],
    [['100-199'], ['impossible', undefined, undefined]],
    [Array.from({ length: 21 }, (_, index) => String(300 + 2 * index)), ['differently', 'lt', 341]],
  ])('%j', (codes, rule) => {
    expect(ruleFor(...codes)).toEqual(rule)
  })

  test.each(['', '20', '200-', '299-200', '600', '200-299-300', 'abc', '2xxx'])('%j is no status', (text) => {
    expect(spanOf(text)).toBeUndefined()
  })
})

describe('retries', () => {
  const after = (count: number, pause: number, interval: number) => {
    const check: FileCheck = {}
    return [setRetries(check, { count, pause, interval, timeout: 10 }).list, check]
  }

  test('as often as the check runs are failures in a row', () => {
    expect(after(2, 60, 60)).toEqual(['carried', { down_interval_sec: 3 }])
  })

  test('within a turn are retries of the monitor', () => {
    expect(after(3, 5, 30)).toEqual(['carried', { retry_count: 3, retry_interval_sec: 5 }])
  })

  test('that have no time before the next turn are failures in a row', () => {
    expect(after(1, 5, 16)).toEqual(['differently', { down_interval_sec: 2 }])
    expect(after(1, 5, 17)).toEqual(['carried', { retry_count: 1, retry_interval_sec: 5 }])
  })

  test('that take longer than a turn are as many failures in a row as they take', () => {
    expect(after(20, 100, 900)).toEqual(['differently', { down_interval_sec: 4 }])
  })
})

test('durations, times of day and cron expressions are read', () => {
  expect(['1m30s', '500ms', '5d', '1.5h', '', '5', 'x5s', '5s!'].map(durationOf)).toEqual([
    90,
    0.5,
    432_000,
    5400,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect([spanOfDay('23:30', '00:15'), spanOfDay('01:00:00', '03:30:00'), spanOfDay('25:00', '01:00')]).toEqual([
    2700,
    9000,
    undefined,
  ])
  expect(
    ['15 2 * * 1-5', '0 4 1,L * *', '0 0 * * 0-6', '*/5 2 * * *', '0 0 1 1 *', '0 24 * * *'].map(ruleOfCron),
  ).toEqual([
    { at: '02:15', rule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR' },
    { at: '04:00', rule: 'FREQ=MONTHLY;BYMONTHDAY=1,-1' },
    { at: '00:00', rule: 'FREQ=DAILY' },
    undefined,
    undefined,
    undefined,
  ])
})

describe('rules about records of a DNS answer', () => {
  const answer = [
    ';; status: NOERROR, flags: rd ra',
    'example.com. 300 IN A 192.0.2.10',
    'example.com. 300 IN AAAA 2001:db8::1',
    'example.com. 300 IN MX 10 mail.example.com.',
    'example.com. 300 IN TXT "v=spf1 -all" "second"',
    'www.example.com. 60 IN CNAME example.com.',
  ].join('\n')
  const isFound = (pattern = '') => new RegExp(pattern.replace('(?m)', ''), 'm').test(answer)

  test.each([
    ['A', '192.0.2.10', true],
    ['A', '192.0.2.1', false],
    ['A', '192x0.2.10', false],
    ['AAAA', '2001:DB8:0::1', true],
    ['MX', 'mail.example.com', true],
    ['MX', 'mail.example.com.', true],
    ['MX', 'example.com', false],
    ['CNAME', 'example.com', true],
    ['TXT', 'v=spf1 -all', true],
    ['TXT', 'second', true],
    ['TXT', 'spf1', false],
  ])('%s %s: %p', (type, value, found) => {
    expect(isFound(recordPattern(type, recordText(type, value)))).toBe(found)
  })
})

test('targets of other tools become targets with options, and their texts add none', () => {
  expect(pingUrl('2001:db8::1', 1)).toBe('icmp://[2001:db8::1]?count=1')
  expect(udpUrl('h.example.com?send=x', '514')).toBe('udp://h.example.com%3Fsend=x:514')
  expect(dnsUrl({ resolver: '1.1.1.1', port: '53', name: 'x?ad=yes' })).toBe('dns://1.1.1.1/x%3Fad=yes')
  expect(dnsUrl({ resolver: 'dns.example.com', port: '53', name: 'x', transport: 'tls' })).toBe(
    'dns://dns.example.com:53/x?transport=tls',
  )
  const pointer = (name: string) => dnsUrl({ resolver: '', name, type: 'PTR' })
  expect(pointer('192.0.2.1')).toBe('dns:///1.2.0.192.in-addr.arpa?type=PTR')
  expect(pointer('2001:db8::1')).toBe(`dns:///1.${'0.'.repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa?type=PTR`)
})

test('names become keys, variables and tags that the file may have', () => {
  expect(['Shop / Zürich', '***', '-a-', 'x'.repeat(100)].map(keyFrom)).toEqual([
    'shop-zurich',
    '',
    'a',
    'x'.repeat(64),
  ])
  expect(variableFrom('ops-slack', 'slack_webhook_url')).toBe('OPS_SLACK_WEBHOOK_URL')
  expect(variableFrom('1st', 'token')).toBe('_1ST_TOKEN')
  expect([' Team, A ', '\n', 'x'.repeat(60)].map(tagFrom)).toEqual(['team  a', undefined, 'x'.repeat(50)])
})

test('a threshold that could never matter beside the timeout is taken out, and told', () => {
  const text = `endpoints:
  - name: slow
    url: https://slow.example.com/
    conditions: ["[STATUS] == 200", "[RESPONSE_TIME] < 15000"]
`
  const path = join(folder, 'slow.yaml')
  writeFileSync(path, text)
  const made = SOURCES.find(({ name }) => name === 'gatus')?.read([path], NOW)
  expect(made?.file.checks?.slow?.interval_sec).toBe(60)
  expect(made?.file.checks?.slow).not.toHaveProperty('max_response_time_ms')
  const said = made?.audit.rows.filter(({ field }) => field === 'conditions [RESPONSE_TIME] < 15000')
  const note = 'max_response_time_ms must be less than the timeout (10 s)'
  expect(said).toEqual([expect.objectContaining({ list: 'impossible', note })])
})

describe('a file of a stranger is refused in one line', () => {
  const file = (name: string, text: string | Buffer) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }
  const refusal = (tool: string, path: string): string => {
    try {
      SOURCES.find(({ name }) => name === tool)?.read([path], NOW)
      return 'taken'
    } catch (error) {
      return error instanceof ImportError ? error.message : `thrown: ${String(error)}`
    }
  }
  const aliases = [
    'a: &a [x]',
    ...'bcdefghij'
      .split('')
      .map((name, at) => `${name}: &${name} [${Array(20).fill(`*${'abcdefghi'[at]}`).join(',')}]`),
  ]

  test.each([
    ['healthchecks', 'text.json', '{', 'is not valid JSON'],
    ['healthchecks', 'deep.json', `${'['.repeat(60)}${']'.repeat(60)}`, 'nested more than 40 levels deep'],
    ['uptimerobot', 'other.json', '{"hello": 1}', 'the file has no monitors, so it is not an UptimeRobot API response'],
    ['better-stack', 'list.json', '[]', 'must be an object'],
    ['gatus', 'deep.yaml', '['.repeat(20_000), 'deep.yaml'],
    ['gatus', 'aliases.yaml', aliases.join('\n'), 'nested too deeply or uses too many aliases'],
    ['gatus', 'latin1.yaml', Buffer.from('# gr\u00fcn', 'latin1'), 'latin1.yaml is not UTF-8'],
    ['gatus', 'tab.yaml', 'a:\n\t- b: [', 'is not valid YAML'],
    ['blackbox', 'empty.yml', 'global: {}', 'has no scrape_configs'],
    ['uptime-kuma', 'text.db', 'not a database at all, but long enough to look at', 'SQLite'],
    ['uptime-kuma', 'other.json', '{"monitors": []}', 'is not an Uptime Kuma backup'],
  ])('%s %s', (tool, name, text, said) => {
    const line = refusal(tool, file(name, text))
    expect(line).toContain(said)
    expect(line).not.toContain('\n')
    expect(line.length).toBeLessThan(300)
  })

  test("schedules that Debian's cron reads in another way than Healthchecks are left out", () => {
    const schedules = [
      '0 0 1 JUL *',
      '0 0 * * WED',
      '0 0 L * *',
      '0 0 LW * *',
      '0 0 * * 5L',
      '0 0 * * 5#1',
      '0 0 1 1 * *',
    ]
    const checks = schedules.map((schedule) => ({ name: schedule, schedule, tz: 'UTC', grace: 60 }))
    const path = file('schedules.json', JSON.stringify({ checks }))
    const moved = SOURCES.find(({ name }) => name === 'healthchecks')?.read([path], NOW)
    expect(Object.values(moved?.file.heartbeats ?? {}).map(({ cron }) => cron)).toEqual(schedules.slice(0, 2))
  })

  test('a database in whose place of a table a view stands is not read', () => {
    const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id FROM n'
    const path = databaseOf(`CREATE VIEW monitor AS ${endless}; CREATE TABLE other (id)`, 'view')
    expect(refusal('uptime-kuma', path)).toContain('view.db contains no Uptime Kuma data')
  })

  test('a database is read with its write-ahead log, and nothing is written beside one that has none', () => {
    const path = databaseOf('PRAGMA journal_mode = WAL; CREATE TABLE monitor (id, name, type, interval, url)', 'wal')
    const writer = new DatabaseSync(path)
    writer.exec(
      "PRAGMA wal_autocheckpoint = 0; INSERT INTO monitor VALUES (1, 'Shop', 'http', 60, 'https://shop.example.com')",
    )
    const made = () => Object.keys(SOURCES[0]?.read([path], NOW).file.checks ?? {})
    expect(made()).toEqual(['shop'])
    writer.close()
    expect(made()).toEqual(['shop'])
    expect(readdirSync(folder).filter((name) => name.startsWith('wal.db'))).toEqual(['wal.db'])
  })

  test('a file that is not there is named', () => {
    expect(refusal('gatus', join(folder, 'missing.yaml'))).toBe('cannot read missing.yaml: ENOENT')
  })
})

test('a backup of Uptime Kuma with two monitors of one id is refused, because tags of the id would belong to both', () => {
  const path = join(folder, 'twice.json')
  const monitor = { id: 7, name: 'a', type: 'http', url: 'https://x.example/', tags: [{ tag_id: 1, name: 't' }] }
  writeFileSync(path, JSON.stringify({ monitorList: [monitor, { ...monitor, name: 'b' }] }))
  const source = SOURCES.find(({ name }) => name === 'uptime-kuma')
  expect(() => source?.read([path], NOW)).toThrow(new ImportError('twice.json contains two monitors with the same id'))
})

test('targets of applications escape what would be an option', () => {
  const broker = { isTls: true, host: '2001:db8::1', port: '', user: 'u', password: 'p', topic: 'a&b=#/+' }
  expect(mqttUrl(broker)).toBe('mqtts://u:p@[2001:db8::1]?topic=a%26b=%23/+')
  const url = new URL('postgresql://u:p@db.example:5433/shop?sslmode=require')
  const database = (query: string) => databaseUrl('postgres', { url, password: 'p', isTls: true, query })
  expect(database("select 5 % 2 where 'a' = 'b';")).toBe(
    "postgres://u:p@db.example:5433/shop?tls=yes&query=select 5 %25 2 where 'a' = 'b'%3B",
  )
  expect(database('vacuum')).toBe('postgres://u:p@db.example:5433/shop?tls=yes')
})
