// dogwatch check ... as people type it. The rules of the import themselves are in import-rules.test.ts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Operator, operator, usageFault } from './operator.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

let o: Operator
let org: number
let folder: string
beforeAll(async () => {
  o = await operator()
  org = await o.org()
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-commands-'))
})
afterAll(async () => {
  await o.close()
  await rm(folder, { recursive: true })
})

const importing = (...args: string[]) => ['check', 'import', '--org', String(org), ...args]

const imported = async (entries: unknown[], ...args: string[]) => {
  const answer = await o.answer(importing('--file', '-', ...args), { input: JSON.stringify(entries) })
  return (answer as { guids: string[] }).guids
}

const monitorsOf = async (guid: string) =>
  (await o.rows('select monitor_id from assignments where guid = $1 and active order by 1', guid)).map((row) =>
    String(row.monitor_id),
  )

const LEAST = { name: 'shop', url: 'https://example.com/', interval_sec: 60 }
const FULL = {
  name: 'Ünïcode 店',
  url: 'https://user:pass@example.com:8443/a?b=c',
  enabled: false,
  restricted: true,
  interval_sec: 45,
  timeout_sec: 30,
  disable_redirects: true,
  insecure_skip_verify: true,
  headers: { Accept: 'text/html', 'X-A': 'é' },
  post_data: '{"a":\n1}',
  match_string: '^ok$',
  match_mode: 'regex',
  status_code_op: 'lt',
  status_code_value: 300,
  cert_expiry_warn_days: 14,
  max_response_time_ms: 1500,
  invert_result: true,
  result_detail_max_chars: 0,
  down_interval_sec: 3,
  resend_interval_sec: 3600,
}

test('import answers the guids in the order of the file, and export then import is the identity', async () => {
  const file = join(folder, 'checks.json')
  const entries = [FULL, { ...LEAST, guid: UNKNOWN }, { name: 'private', url: '', interval_sec: 60 }]
  await writeFile(file, JSON.stringify(entries))
  const { guids } = (await o.answer(importing('--file', file))) as { guids: string[] }
  expect(guids).toEqual([expect.any(String), UNKNOWN, expect.any(String)])
  const exported = await o.answer(['check', 'export', '--org', String(org)])
  const defaults = { enabled: true, match_string: '', restricted: false, result_detail_max_chars: 256 }
  expect(exported).toEqual([
    { guid: guids[0], ...FULL },
    { guid: UNKNOWN, ...defaults, ...LEAST },
    { guid: guids[2], ...defaults, name: 'private', url: '', interval_sec: 60, restricted: true },
  ])
  expect(await imported(exported as unknown[])).toEqual(guids)
  expect(await o.answer(['check', 'export', '--org', String(org)])).toEqual(exported)
})

test('--monitors names some, all, or none; left out, a replaced check keeps its own', async () => {
  const [one, two] = [await o.monitor(org), await o.monitor(org)].map(({ monitor_id }) => monitor_id).sort()
  const shared = (await o.monitor(null)).monitor_id
  const steps: [flag: string[], want: (string | undefined)[]][] = [
    [[], []],
    [
      ['--monitors', `${two}, ${one},${two}`],
      [one, two],
    ],
    [[], [one, two]],
    [['--monitors', 'all'], [one, two, shared].sort()],
    [['--monitors', 'none'], []],
  ]
  const guid = '11111111-0000-4000-8000-000000000000'
  for (const [flags, want] of steps) {
    await imported([{ ...LEAST, guid }], ...flags)
    expect({ flags, monitors: await monitorsOf(guid) }).toEqual({ flags, monitors: want })
  }
})

describe('refused, and nothing done', () => {
  const json = JSON.stringify
  const cases: Record<string, [input: string, flags: string[], line: string]> = {
    'what is no json': ['[', [], 'standard input must contain valid json'],
    'what is no array': [json({ checks: [] }), [], 'the file must contain an array of checks'],
    'one bad entry among good ones': [
      json([LEAST, LEAST, { ...LEAST, timeout_sec: 61 }]),
      [],
      '[2].timeout_sec must be a whole number from 0 to 60',
    ],
    'a fault whose words hold a line break': [
      json([{ ...LEAST, headers: { 'a\nb': 'c' } }]),
      [],
      '[0].headers["a\\nb"] must have a valid header name',
    ],
    'a monitor that nobody has': [
      json([LEAST]),
      ['--monitors', 'nobody'],
      'monitors must not include nobody, which is neither one of your own monitors nor a shared monitor',
    ],
  }
  test.each(Object.entries(cases))('%s', async (_, [input, flags, line]) => {
    const before = await o.stored()
    expect(await o.refusal(importing('--file', '-', ...flags), { input })).toBe(line)
    expect(await o.stored()).toBe(before)
  })

  test('a file that is not there, and one that is no UTF-8', async () => {
    expect(await o.refusal(importing('--file', join(folder, 'none.json')))).toContain('none.json')
    const latin1 = join(folder, 'latin1.json')
    await writeFile(latin1, json([{ ...LEAST, name: 'gr\u00fcn' }]), 'latin1')
    expect(await o.refusal(importing('--file', latin1))).toBe(`${latin1} must be UTF-8`)
  })

  test('an org that is not there', async () => {
    const args = ['--org', '999999', '--file', '-']
    expect(await o.refusal(['check', 'import', ...args], { input: '[]' })).toBe('no organisation with that id')
    expect(await o.refusal(['check', 'export', '--org', '999999'])).toBe('no organisation with that id')
  })

  test('monitors that are no list are a usage fault, which says so', async () => {
    const faults = [
      importing('--file', '-', '--monitors', ','),
      ['check', 'assign', '--guid', UNKNOWN, '--monitors', ''],
      ['check', 'unassign', '--guid', UNKNOWN, '--monitors', 'a,,b'],
    ].map((args) => usageFault(o, args))
    for (const line of await Promise.all(faults)) {
      expect(line).toContain('It must be a comma-separated list of monitor ids.')
    }
  })
})

describe('one check', () => {
  let guid: string
  let monitor: string
  beforeAll(async () => {
    monitor = (await o.monitor(org)).monitor_id
    guid = (await imported([{ ...FULL, restricted: false }]))[0] ?? ''
  })

  const verb = (name: string, ...args: string[]) => o.answer(['check', name, '--guid', guid, ...args])
  const row = async () => (await o.rows('select * from checks where guid = $1', guid))[0]

  test('is assigned and unassigned', async () => {
    expect(await verb('assign', '--monitors', monitor)).toEqual({ guid })
    expect(await monitorsOf(guid)).toEqual([monitor])
    expect(await verb('unassign', '--monitors', monitor)).toEqual({ guid })
    expect(await monitorsOf(guid)).toEqual([])
  })

  test('assigned to all, it is run by those who join later too; unassigned from all, by nobody', async () => {
    await verb('assign', '--monitors', 'all')
    const later = await Promise.all([o.monitor(org), o.monitor(null)])
    expect(await monitorsOf(guid)).toEqual(expect.arrayContaining(later.map(({ monitor_id }) => monitor_id)))
    await verb('unassign', '--monitors', 'all')
    await o.monitor(org)
    expect(await monitorsOf(guid)).toEqual([])
  })

  test('is replayed under other rules', async () => {
    const file = join(folder, 'rules.json')
    await writeFile(file, JSON.stringify({ down_majority: true, routes: [], windows: [] }))
    const replay = await verb('replay', '--from', '2026-01-01T00:00:00Z', '--rules', file)
    expect(replay).toMatchObject({ guid, results: 0, present: { told: 0 }, given: { rules: { down_majority: true } } })
  })

  test('is replayed with all checks of its organisation', async () => {
    const file = join(folder, 'rules.json')
    await writeFile(file, JSON.stringify({ down_interval_sec: 2, interval_sec: 300 }))
    const given = ['check', 'replay', '--from', '2026-01-01T00:00:00Z', '--rules', file]
    const all = await o.answer([...given, '--org', String(org)])
    expect(all).toMatchObject({ org_id: org, results: 0, present: { told: 0 }, given: { told: 0 } })
    expect((all as { checks: { guid: string }[] }).checks.map((one) => one.guid)).toContain(guid)
  })

  test('is disabled and enabled', async () => {
    expect(await verb('enable')).toEqual({ guid })
    expect(await row()).toMatchObject({ enabled: true })
    expect(await verb('disable')).toEqual({ guid })
    expect(await row()).toMatchObject({ enabled: false })
  })

  test('is wiped: no content is left anywhere, and the shared fleet loses it', async () => {
    const shared = (await o.monitor(null)).monitor_id
    await verb('assign', '--monitors', `${shared},${monitor}`)
    await o.rows(
      `insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, error, response_sample)
       select org_id, check_id, now(), 1, 500, false, $2, 'no wiped-error', 'wiped-sample' from checks where guid = $1`,
      guid,
      monitor,
    )
    expect(await verb('wipe-definition')).toEqual({ guid })
    expect(await monitorsOf(guid)).toEqual([monitor])
    const exported = (await o.answer(['check', 'export', '--org', String(org)])) as { guid: string }[]
    const { name, interval_sec, timeout_sec, cert_expiry_warn_days, max_response_time_ms } = FULL
    expect(exported.find((check) => check.guid === guid)).toEqual({
      guid,
      ...{ name, interval_sec, timeout_sec, cert_expiry_warn_days, max_response_time_ms },
      ...{ url: '', match_string: '', enabled: false, restricted: true, result_detail_max_chars: 0 },
      ...{ disable_redirects: true, insecure_skip_verify: true, invert_result: true },
      ...{ down_interval_sec: 3, resend_interval_sec: 3600 },
    })
    expect(await o.stored()).not.toMatch(/wiped-(error|sample)/)
  })

  test('is deleted, and gone from there on', async () => {
    expect(await verb('delete')).toEqual({ guid })
    expect(await monitorsOf(guid)).toEqual([])
    expect(JSON.stringify(await o.answer(['check', 'export', '--org', String(org)]))).not.toContain(guid)
    expect(await o.refusal(['check', 'delete', '--guid', guid])).toBe('no check with that guid')
  })

  test('that does not exist is refused by every verb', async () => {
    const verbs = [['assign', '--monitors', 'all'], ['unassign', '--monitors', 'all'], ['enable'], ['disable']]
    const lines = [...verbs, ['wipe-definition']].map(([name = '', ...args]) =>
      o.refusal(['check', name, '--guid', 'x', ...args]),
    )
    expect(new Set(await Promise.all(lines))).toEqual(new Set(['no check with that guid']))
  })
})
