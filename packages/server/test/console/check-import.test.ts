// Checks as files: shown before they go in, and the same when they come out.
import { describe, expect, jest, test } from '@jest/globals'
import { hideSecrets } from '@dogwatch/check-rules/secrets'
import pg from 'pg'
import { bob, deeds, fault, org, runners, stored, w } from '../support/check-pages.ts'
import { result } from '../support/world.ts'

describe('import and export', () => {
  const ENTRY = { url: 'https://example.com/', interval_sec: 60 }
  const preview = async (file: unknown, fields: Record<string, string> = {}) => {
    await bob.open('/checks/import')
    await bob.submit('/checks/import', { file: typeof file === 'string' ? file : JSON.stringify(file), ...fields })
  }

  test('an import is shown before it is done, field by field', async () => {
    const [same = '', other = ''] = await w.checks(org, [
      { name: 'same' },
      { name: 'other', headers: { B: '2', A: '1' } },
    ])
    const file = [
      { ...ENTRY, name: 'same', guid: same },
      { ...ENTRY, name: 'renamed', guid: other, headers: { A: '1', B: '2' }, timeout_sec: 20 },
      { ...ENTRY, name: 'fresh' },
    ]
    await preview(file)
    expect(bob.text()).toContain('1 new, 1 changed, 1 as they are')
    expect(bob.all('tbody tr').map((tr) => tr.querySelectorAll('td').map((td) => td.text))).toEqual([
      ['other', 'Name', 'other', 'renamed'],
      ['other', 'Timeout', '0 s', '20 s'],
    ])
    expect((await stored(other))?.name).toBe('other')
    await bob.submit('/checks/import/confirm')
    expect([bob.page.path, bob.all('tbody tr').length]).toEqual(['/checks', 3])
    expect(await stored(other)).toMatchObject({ name: 'renamed', timeout_sec: 20 })
    expect(await deeds()).toMatchObject([{ action: 'check.import', subject: '3 checks' }])
  })

  test('what changed since the preview is shown again, and not imported', async () => {
    const [guid = ''] = await w.checks(org, [{ name: 'shop' }])
    await preview([{ ...ENTRY, name: 'shop', guid, timeout_sec: 20 }])
    await w.checks(org, [{ ...ENTRY, name: 'shop', guid, interval_sec: 600 }])
    await bob.submit('/checks/import/confirm')
    expect([bob.page.status, fault()[0]]).toEqual([409, expect.stringContaining('have changed since this preview')])
    expect(await stored(guid)).toMatchObject({ timeout_sec: 0, interval_sec: 600 })
    expect(bob.text()).toContain('Interval\n600 s')
    await bob.submit('/checks/import/confirm')
    expect(await stored(guid)).toMatchObject({ timeout_sec: 20, interval_sec: 60 })
  })

  test.each<[string, unknown, string]>([
    ['no JSON', '[', 'The file must contain valid json.'],
    ['no array', {}, 'The file must contain an array of checks.'],
    [
      'a bad field',
      [{ ...ENTRY, name: 'x', interval_sec: 0 }],
      '[0].interval_sec must be a whole number from 1 to 2678400.',
    ],
    [
      'what the plan refuses',
      [{ ...ENTRY, name: 'x', interval_sec: 29 }],
      '[0].interval_sec must be at least 30 on the team plan.',
    ],
    [
      'too many',
      Array.from({ length: 101 }, () => ({ ...ENTRY, name: 'x' })),
      'The team plan allows 100 checks, and this would make 101.',
    ],
  ])('%s is refused, and the text is kept', async (_, file, line) => {
    await preview(file)
    expect([bob.page.status, fault()]).toEqual([400, [line]])
    expect(bob.all('textarea')[0]?.text.trim()).toBe(typeof file === 'string' ? file : JSON.stringify(file))
  })

  test('what is nested deeper than we would write ourselves is carried over as it was sent', async () => {
    const deep = '['.repeat(20_000) + ']'.repeat(20_000)
    await preview(`[ {"name": "deep", "url": "https://example.com/", "interval_sec": 60, "unknown": ${deep}} ]`)
    expect([bob.page.status, fault()]).toEqual([200, []])
    await bob.submit('/checks/import/confirm')
    expect([bob.page.path, bob.all('tbody tr').length]).toEqual(['/checks', 1])
  })

  test('new checks may go to all monitors', async () => {
    const monitor = await w.monitor(org)
    await preview([{ ...ENTRY, name: 'x' }], { who: 'all' })
    await bob.submit('/checks/import/confirm')
    const [check] = await w.rows('select guid from checks where org_id = $1', org.org_id)
    expect(await runners(String(check?.guid))).toContain(monitor.id)
  })

  test("an export is what the account API's list is without secrets, and goes in again without a change", async () => {
    const url = 'https://ana:hunter2@example.com/?token=hunter3'
    await w.checks(org, [
      { name: 'a', url, headers: { X: 'hunter4' }, post_data: 'hunter5', invert_result: true },
      { name: 'b', url: '' },
    ])
    const exported = await bob.open('/checks/export')
    expect(exported.headers.get('content-disposition')).toBe('attachment; filename="checks.json"')
    const token = await w.pat(org)
    const listed = await fetch(`${w.direct}/account-api/v1/checks`, { headers: { authorization: `Bearer ${token}` } })
    // The list says besides how each check stands, which a file would only put back out of date.
    const checks = ((await listed.json()) as object[]).map((check) => ({
      ...hideSecrets(check),
      state: undefined,
      state_since: undefined,
    }))
    expect(JSON.parse(exported.html)).toEqual(checks)
    expect(exported.html).not.toContain('hunter')
    await preview(exported.html)
    expect(bob.text()).toContain('0 new, 0 changed, 2 as they are')
    await bob.submit('/checks/import/confirm')
    const [guid = ''] = JSON.parse(exported.html).map((check: { guid: string }) => check.guid)
    expect(await stored(guid)).toMatchObject({ url, headers: { X: 'hunter4' }, post_data: 'hunter5' })
  })

  test('an import sends no stored secret elsewhere, makes none up, and shows none', async () => {
    const headers = { 'X-Key': 'hunter2' }
    const [guid = ''] = await w.checks(org, [{ name: 'a', headers }])
    const kept = { ...ENTRY, name: 'a', headers: { 'X-Key': '***' } }
    await preview([{ ...kept, guid, url: 'https://evil.example/' }])
    expect(fault()).toEqual([
      expect.stringMatching(/^\[0\]\.headers\["X-Key"\] must be given again: a hidden value is kept only/),
    ])
    await preview([kept])
    expect(fault()).toEqual([
      expect.stringMatching(/^\[0\]\.headers\["X-Key"\] must be given again: there is no stored value/),
    ])
    await preview([{ ...kept, guid, headers: { 'X-Key': 'hunter3' } }])
    expect(bob.all('tbody tr td').map((td) => td.text)).toEqual([
      'a',
      'Request headers',
      'X-Key: ***',
      'Another hidden value',
    ])
    expect(bob.page.html).not.toContain('hunter2')
    await bob.submit('/checks/import/confirm')
    expect(await stored(guid)).toMatchObject({ headers: { 'X-Key': 'hunter3' } })
  })
})

test.each(['/checks', '/checks/:check'])(
  '%s asks the same number of statements for a hundred checks as for one',
  async (path) => {
    const monitor = await w.monitor(org)
    const [first = ''] = await w.checks(org, [{}], 'all')
    await monitor.client.upload([result(first)])
    const opened = async () => {
      const query = jest.spyOn(pg.Query.prototype, 'submit')
      await bob.open(path.replace(':check', first))
      const count = query.mock.calls.length
      query.mockRestore()
      return count
    }
    // A connection that is made meanwhile asks first whether it has the primary, which is no doing of the page's.
    const statements = async () => Math.min(await opened(), await opened(), await opened())
    const one = await statements()
    const rest = await w.checks(
      org,
      Array.from({ length: 99 }, () => ({})),
      'all',
    )
    await monitor.client.upload(rest.map((guid) => result(guid)))
    expect(await statements()).toBe(one)
    expect(one).toBeGreaterThan(3)
    expect(one).toBeLessThan(20)
  },
)
