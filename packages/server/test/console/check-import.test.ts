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
      { name: 'other', headers: { Pragma: '2', Accept: '1' } },
    ])
    const file = [
      { ...ENTRY, name: 'same', guid: same },
      { ...ENTRY, name: 'renamed', guid: other, headers: { Accept: '1', Pragma: '2' }, timeout_sec: 20 },
      { ...ENTRY, name: 'fresh' },
    ]
    await preview(file)
    expect(bob.text()).toContain('1 new, 1 changed, 1 unchanged')
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
    ['no JSON', '[', 'The file must be valid JSON.'],
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
      'The team plan allows 100 checks, but this change would make 101. Delete checks or change the plan.',
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

  test('a secret that is spelled out counts as a change, whether it is the stored one or not', async () => {
    const secret = { headers: { 'X-Key': 'the-secret' } }
    const [guid = ''] = await w.checks(org, [{ ...ENTRY, name: 'x', ...secret }], 'none')
    const texts: string[] = []
    for (const key of ['the-secret', 'a-guess-it', '***']) {
      await preview([{ ...ENTRY, name: 'x', guid, headers: { 'X-Key': key } }])
      const form = bob.all('textarea')[0]?.text ?? ''
      texts.push(bob.text().replaceAll(form, '').replaceAll(key, '(key)'))
    }
    expect([texts[0], texts[0]?.includes('Unchanged')]).toEqual([texts[1], texts[2]?.includes('Changed')])
    expect(texts[0]).not.toBe(texts[2])
  })

  test('new checks run on all monitors unless somebody chooses otherwise, and the page says so before', async () => {
    const monitor = await w.monitor(org)
    const [idle = ''] = await w.checks(org, [{ name: 'idle' }], 'none')
    await preview([
      { ...ENTRY, name: 'fresh' },
      { ...ENTRY, name: 'idle', guid: idle, timeout_sec: 20 },
    ])
    expect(bob.text()).toContain('New checks run on all monitors. Existing checks keep their monitors.')
    await bob.submit('/checks/import/confirm')
    const [row] = await w.rows("select guid from checks where org_id = $1 and name = 'fresh'", org.org_id)
    expect([await runners(String(row?.guid)), await runners(idle)]).toEqual([[monitor.id], []])
  })

  test('new checks may have no monitor, which the preview says', async () => {
    await w.monitor(org)
    await preview([{ ...ENTRY, name: 'fresh' }], { who: 'keep' })
    expect(bob.text()).toContain('New checks do not run until you assign monitors.')
    await bob.submit('/checks/import/confirm')
    const [row] = await w.rows("select guid from checks where org_id = $1 and name = 'fresh'", org.org_id)
    expect(await runners(String(row?.guid))).toEqual([])
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
    expect(bob.text()).toContain('0 new, 0 changed, 2 unchanged')
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
      expect.stringMatching(
        /^\[0\]\.headers\["X-Key"\] must be given again, because the scheme, host or port of the target has changed/,
      ),
    ])
    await preview([kept])
    expect(fault()).toEqual([
      expect.stringMatching(/^\[0\]\.headers\["X-Key"\] must be given again, because there is no stored value/),
    ])
    await preview([{ ...kept, guid, headers: { 'X-Key': 'hunter3' } }])
    expect(bob.all('tbody tr td').map((td) => td.text)).toEqual([
      'a',
      'Request headers',
      'X-Key: ***',
      'Changed (hidden)',
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
