// Checks made, changed, paused and deleted by a member without scripts.
import { UNKNOWN_SCHEME } from '@dogwatch/check-rules/words'
import { switchMonitor } from '@dogwatch/domain/monitors/switches'
import { openSession } from '@dogwatch/domain/people/sessions'
import { describe, expect, test } from '@jest/globals'
import { Browser } from '../support/browser.ts'
import { actions, bob, deeds, fault, guidHere, oneCheck, org, runners, stored, w } from '../support/check-pages.ts'
import { result } from '../support/world.ts'

describe('a new check', () => {
  test('needs a name and a target; the rest is there already', async () => {
    await w.monitor(org)
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { name: ' shop ', url: 'https://shop.example/' })
    expect(bob.text()).toContain('shop created.')
    expect(await stored(guidHere())).toMatchObject({
      name: 'shop',
      url: 'https://shop.example/',
      interval_sec: 60,
      enabled: true,
      restricted: false,
      all_monitors: true,
      headers: {},
      result_detail_max_chars: 256,
      down_interval_sec: 0,
      retry_count: 1,
      retry_interval_sec: 5,
    })
    expect(await deeds()).toEqual([
      { actor: expect.stringMatching(/^bob-/), action: 'check.create', subject: 'shop', detail: {} },
    ])
  })

  test('offers the kinds of targets, and says which fields do not apply to them', async () => {
    await bob.open('/checks/new')
    const radios = bob.all('input[name=kind]')
    expect(
      radios.map((radio) => ['value', 'data-also', 'data-example'].map((name) => radio.getAttribute(name) ?? '')),
    ).toEqual(
      expect.arrayContaining([
        ['https', 'http', 'https://example.com/'],
        ['tcp', '', 'tcp://example.com:443'],
      ]),
    )
    const headers = bob.all('[data-not-for]').filter((place) => place.querySelector('[name=headers]') !== null)
    expect(headers.map((place) => place.getAttribute('data-not-for'))).toEqual([expect.stringMatching(/^tcp tls\b/)])
  })

  const EVERYTHING = {
    name: 'api',
    url: 'https://api.example/v1?a=b',
    interval_sec: '90',
    timeout_sec: '20',
    post_data: '\n{"a": 1}\n',
    headers: 'Accept: text/plain\nX-Key: a: b\n\n',
    match_string: '^ok$',
    match_mode: 'regex',
    status_code_op: 'eq',
    status_code_value: '201',
    cert_expiry_warn_days: '14',
    max_response_time_ms: '1500',
    result_detail_max_chars: '0',
    down_interval_sec: '3',
    resend_interval_sec: '3600',
    disable_redirects: 'on',
    insecure_skip_verify: 'on',
    invert_result: 'on',
    restricted: 'on',
  }
  const AS_STORED = {
    ...EVERYTHING,
    interval_sec: 90,
    timeout_sec: 20,
    headers: { Accept: 'text/plain', 'X-Key': 'a: b' },
    status_code_value: 201,
    cert_expiry_warn_days: 14,
    max_response_time_ms: 1500,
    result_detail_max_chars: 0,
    down_interval_sec: 3,
    resend_interval_sec: 3600,
    disable_redirects: true,
    insecure_skip_verify: true,
    invert_result: true,
    restricted: true,
    enabled: true,
  }

  test('takes every field, and an edit that changes nothing keeps them all', async () => {
    await bob.open('/checks/new')
    await bob.submit('/checks/new', EVERYTHING)
    const guid = guidHere()
    expect(await stored(guid)).toMatchObject(AS_STORED)
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`)
    expect(await stored(guid)).toMatchObject(AS_STORED)
    expect((await deeds()).at(-1)).toMatchObject({ action: 'check.edit', detail: { changed: [] } })
  })

  test('is offered a warning of its certificate before the limit at which it fails, and what each does', async () => {
    await bob.open('/checks/new')
    expect(bob.text()).toMatch(
      /Certificate expiry warning[^]*Warns when the certificate[^]*The check stays up[^]*Certificate expiry failure[^]*The check fails when/,
    )
  })

  test('may be a copy of another, which stays as it is', async () => {
    const [one] = [await w.monitor(org), await w.monitor(org)]
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { ...EVERYTHING, who: 'chosen', monitors: one.id })
    const guid = guidHere()
    await bob.open(`/checks/new?from=${guid}`)
    await bob.submit('/checks/new')
    expect(guidHere()).not.toBe(guid)
    expect(await stored(guidHere())).toMatchObject({ ...AS_STORED, name: 'Copy of api' })
    expect(await runners(guidHere())).toEqual([one.id])
  })

  test('may be a copy of one with a long name, which is cut between letters', async () => {
    const [guid = ''] = await w.checks(org, [{ name: `${'x'.repeat(191)}😀😀` }])
    await bob.open(`/checks/new?from=${guid}`)
    const name = bob.all('input[name=name]')[0]?.getAttribute('value')
    expect(name).toBe(`Copy of ${'x'.repeat(191)}😀`)
  })

  test.each<[string, Record<string, string>, string]>([
    ['no name', { name: ' ' }, '“Name” must not be blank.'],
    ['no target', { url: '' }, '“Target” is required.'],
    ['a strange target', { url: 'gopher://x/' }, `“Target” ${UNKNOWN_SCHEME}.`],
    ['no number', { interval_sec: 'soon' }, '“Interval” must be a whole number from 1 to 2678400.'],
    [
      'a header without a colon',
      { headers: 'X' },
      '“Request headers” must have one header per line, in the form Name: value.',
    ],
    ['a header twice', { headers: 'A: 1\nA: 2' }, '“Request headers” must not contain the same header twice.'],
    [
      'a header twice in two cases',
      { headers: 'A: 1\na: 2' },
      '“Request headers” must not contain the same header twice.',
    ],
    [
      'a bad pattern',
      { match_mode: 'regex', match_string: '(' },
      '“Text or regular expression” is not a valid regular expression (RE2 syntax).',
    ],
    ['a target that is private, too', { private: 'on' }, '“Target” must be empty when the definition is private.'],
    [
      'a mode of our dreams',
      { match_mode: 'maybe' },
      '“Response content” must be one of contains, not_contains, regex, not_regex.',
    ],
    [
      'a U+0000',
      { match_string: 'a\0' },
      '“Text or regular expression” must not contain null characters or invalid Unicode.',
    ],
    [
      'a monitor of nobody',
      { who: 'chosen', monitors: 'a\0' },
      'Monitors must not include a, which is neither one of your own monitors nor a shared monitor.',
    ],
  ])('is refused with %s, and keeps what was typed', async (_, wrong, line) => {
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { ...EVERYTHING, ...wrong })
    expect([bob.page.status, fault()]).toEqual([400, [line]])
    expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
    expect(await deeds()).toEqual([])
    if (wrong.monitors === undefined) {
      const mended = Object.fromEntries(
        Object.keys(wrong).map((field) => [field, field === 'private' ? [] : EVERYTHING[field as 'name']]),
      )
      await bob.submit('/checks/new', mended)
      expect(await stored(guidHere())).toMatchObject(AS_STORED)
    }
  })

  test('is told everything that is wrong at once, each fault at its field, and begins at the first', async () => {
    const one = await w.monitor(org)
    await bob.open('/checks/new')
    await bob.submit('/checks/new', {
      name: 'mail',
      url: 'tcp://mail.example:25',
      interval_sec: '0',
      timeout_sec: '61',
      headers: 'A: 1\nA: 2',
      status_code_op: 'eq',
      status_code_value: '',
      match_mode: 'regex',
      match_string: '(',
      down_majority: 'on',
      down_places: '2',
      who: 'none',
      monitors: one.id,
    })
    expect(bob.page.status).toBe(400)
    const at = (field: string) => {
      const input = bob.all(`#field-${field}`)[0]
      const described = (input?.getAttribute('aria-describedby') ?? '').split(' ')
      const isRead = described.includes(`field-${field}-fault`)
      return [input?.getAttribute('aria-invalid'), isRead, bob.all(`#field-${field}-fault`)[0]?.text]
    }
    expect(at('interval_sec')).toEqual(['true', true, 'Must be a whole number from 1 to 2678400.'])
    expect(at('timeout_sec')).toEqual(['true', true, 'Must be a whole number from 0 to 60.'])
    expect(at('headers')).toEqual(['true', true, 'Must not contain the same header twice.'])
    expect(at('status_code_op')).toEqual(['true', true, 'Does not apply to tcp:// targets: clear this field.'])
    expect(at('status_code_value')).toEqual(['true', true, 'Must be between 100 and 599 when “Status code” is set.'])
    expect(at('match_string')).toEqual(['true', true, 'Is not a valid regular expression (RE2 syntax).'])
    expect(at('down_places')).toEqual(['true', true, 'Must not be set together with “Must fail from most monitors”.'])
    expect(at('monitors')).toEqual([
      undefined,
      true,
      '“No monitors” is selected, but individual monitors are selected too. Choose “Selected monitors” or clear the individual monitors.',
    ])
    expect(at('name')).toEqual([undefined, false, undefined])
    expect(bob.all('[autofocus]').map((input) => input.id)).toEqual(['field-interval_sec'])
    const listed = bob.all('[role=alert] a').map((link) => [link.getAttribute('href'), link.text])
    expect(listed).toHaveLength(8)
    expect(listed[0]).toEqual(['#field-interval_sec', '“Interval” must be a whole number from 1 to 2678400.'])
    for (const [href] of listed) expect(bob.all(href ?? '')).toHaveLength(1)
  })

  test('refuses thresholds of which one can never matter, and folds its sections with what is set in them', async () => {
    await w.monitor(org)
    await bob.open('/checks/new')
    const folded = () => bob.all('details.part').map((one) => one.getAttribute('open') === undefined)
    const summaries = () =>
      bob.all('details.part .set').map((one) => one.querySelectorAll('span').map(({ text }) => text.trim()))
    expect(folded()).toEqual([true, true, true])
    expect(summaries()[0]).toEqual(['Status below 400', 'Timeout: 10 s'])
    const values = { name: 'shop', url: 'https://shop.example/', max_response_time_ms: '800', down_places: '2' }
    await bob.submit('/checks/new', { ...values, degraded_over_ms: '900', down_majority: 'on' })
    expect(bob.page.status).toBe(400)
    expect(bob.all('[aria-invalid]').map((one) => one.getAttribute('name'))).toEqual([
      'down_places',
      'degraded_over_ms',
    ])
    expect(bob.text()).toContain('Must be less than “Maximum response time” (800 ms).')
    expect(folded()).toEqual([true, true, false])
    expect(summaries()[0]).toEqual(['Status below 400', 'Timeout: 10 s', 'Maximum response time: 800 ms'])
    await bob.submit('/checks/new', { ...values, degraded_over_ms: '700', down_majority: [] })
    expect(bob.text()).toContain('shop created.')
    await bob.open(`/checks/${guidHere()}/edit`)
    expect(folded()).toEqual([true, true, true])
    expect(summaries()[2]).toEqual([
      'Monitors that must fail: 2',
      'No reminders',
      'Retries: 1',
      'Retry delay: 5 s',
      'Degraded response time: 700 ms',
    ])
  })

  test('has a target that is a web address unless it says otherwise', async () => {
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { name: 'shop', url: 'shop.example:8443/cart' })
    expect(await stored(guidHere())).toMatchObject({ url: 'https://shop.example:8443/cart' })
  })

  test('depends on a check or monitor that is chosen by name', async () => {
    const one = await w.monitor(org, 'attic')
    const [gate = '', , twin = ''] = await w.checks(org, [{ name: 'gate' }, { name: 'twin' }, { name: 'twin' }], 'none')
    await bob.open('/checks/new')
    const options = bob.all('#field-depends_on option').map((option) => [option.getAttribute('value'), option.text])
    expect(options[0]).toEqual(['', 'None'])
    expect(options).toContainEqual([gate, 'gate'])
    expect(options).toContainEqual([twin, `twin (${twin.slice(0, 8)})`])
    expect(options).toContainEqual([one.id, 'attic (Berlin, DE)'])
    await bob.submit('/checks/new', { name: 'shop', url: 'shop.example', depends_on: gate })
    const shop = guidHere()
    expect(await stored(shop)).toMatchObject({ depends_on: gate })
    await bob.open(`/checks/${shop}/edit`)
    expect(bob.all('#field-depends_on option[selected]').map((option) => option.text)).toEqual(['gate'])
    expect(bob.all(`#field-depends_on option[value="${shop}"]`)).toEqual([])
    await bob.submit(`/checks/${shop}/edit`, { depends_on: 'nothing-like-it' })
    expect([bob.page.status, bob.all('#field-depends_on-fault')[0]?.text]).toEqual([
      400,
      'Must be the guid of an existing check or the id of an existing monitor.',
    ])
  })

  test('with a private definition has no target, and belongs to own monitors', async () => {
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { name: 'inner', url: '', private: 'on' })
    expect(await stored(guidHere())).toMatchObject({ url: '', restricted: true })
    await bob.open(`/checks/${guidHere()}/definition`)
    expect(bob.text()).toContain('Private definition: the target and success criteria are stored only on your monitors')
    await bob.open(`/checks/${guidHere()}/edit`)
    await bob.submit(`/checks/${guidHere()}/edit`, { name: 'inner 2' })
    expect(await stored(guidHere())).toMatchObject({ name: 'inner 2', url: '', restricted: true })
  })

  test('meets the limits of the plan, which are told beforehand', async () => {
    const free = await w.org('free')
    const browser = new Browser(w.direct, await openSession(w.deps, free.owner_id, free.org_id))
    await w.checks(
      free,
      Array.from({ length: 9 }, () => ({ interval_sec: 120 })),
    )
    await browser.open('/checks/new')
    expect(browser.text()).toContain('9 of 10 checks used on the free plan.')
    expect(browser.text()).toContain('Minimum on the free plan: 120 s.')
    const refusals: [Record<string, string>, string][] = [
      [{ interval_sec: '119' }, '“Interval” must be at least 120 on the free plan.'],
      [{ timeout_sec: '11' }, '“Timeout” must be at most 10 on the free plan.'],
      [{ cert_expiry_warn_days: '1' }, 'must be 0 on the free plan.'],
    ]
    for (const [fields, line] of refusals) {
      await browser.submit('/checks/new', {
        name: 'x',
        url: 'https://example.com/',
        interval_sec: '120',
        timeout_sec: '',
        cert_expiry_warn_days: '',
        ...fields,
      })
      expect([browser.page.status, browser.all('[role=alert]')[0]?.text]).toEqual([400, expect.stringContaining(line)])
    }
    await browser.submit('/checks/new', {
      name: 'x',
      url: 'https://example.com/',
      interval_sec: '120',
      cert_expiry_warn_days: '',
    })
    expect(browser.page.status).toBe(200)
    await browser.open('/checks/new')
    await browser.submit('/checks/new', { name: 'y', url: 'https://example.com/' })
    expect(browser.all('[role=alert]')[0]?.text).toBe(
      'The free plan allows 10 checks, but this change would make 11. Delete checks or change the plan.',
    )
  })
})

describe('changing a check', () => {
  test('an edit records the fields that it changed, and of their values only numbers and switches', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { url: 'https://user:hunter2@example.org/', interval_sec: '300' })
    expect(await stored(guid)).toMatchObject({ url: 'https://user:hunter2@example.org/', interval_sec: 300 })
    const [deed] = await deeds()
    expect(deed).toMatchObject({
      action: 'check.edit',
      subject: 'shop',
      detail: { changed: ['url', 'interval_sec'], from: { interval_sec: 60 }, to: { interval_sec: 300 } },
    })
    expect(JSON.stringify(deed)).not.toContain('hunter2')
  })

  test('line ends that a form cannot show stay as they are', async () => {
    const guid = await oneCheck({ post_data: 'a\r\nb\nc', match_string: 'a\r\nb\nc' })
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { match_string: 'a\r\nb\r\nc', name: 'other' })
    const kept = { post_data: 'a\r\nb\nc', match_string: 'a\r\nb\nc' }
    expect(await stored(guid)).toMatchObject({ ...kept, name: 'other' })
  })

  test('no secret is on a page, and each stays through an edit and a copy', async () => {
    const url = 'https://ana:hunter2@example.com/?api_key=swordfish&page=2'
    const headers = { Accept: 'text/html', Authorization: 'Bearer hunter2', 'X-Key': 'swordfish' }
    const secrets = { url, headers, post_data: 'word=swordfish' }
    const guid = await oneCheck({ ...secrets, match_mode: 'contains', match_string: 'ok' })
    for (const path of [
      `/checks/${guid}`,
      `/checks/${guid}/definition`,
      `/checks/${guid}/edit`,
      `/checks/${guid}/wipe`,
      `/checks/new?from=${guid}`,
      '/checks/export',
      '/search?q=example',
    ]) {
      await bob.open(path)
      expect([path, bob.page.status]).toEqual([path, 200])
      expect(bob.page.html).not.toMatch(/hunter2|swordfish/)
    }
    await bob.open(`/checks/${guid}/edit`)
    const lines = () => bob.all('textarea[name=headers]')[0]?.textContent.trim()
    expect(lines()).toBe('X-Key: ***\nAccept: text/html\nAuthorization: ***')
    expect(bob.all('input[name=url]')[0]?.getAttribute('value')).toBe('https://ana:***@example.com/?api_key=***&page=2')
    await bob.submit(`/checks/${guid}/edit`, { name: 'renamed', headers: 'X-Key: ***\nAuthorization: Basic new' })
    const kept = { url, headers: { 'X-Key': 'swordfish', Authorization: 'Basic new' }, post_data: 'word=swordfish' }
    expect(await stored(guid)).toMatchObject({ name: 'renamed', ...kept, match_mode: 'contains' })
    await bob.open(`/checks/new?from=${guid}`)
    await bob.submit('/checks/new')
    expect(await stored(guidHere())).toMatchObject(kept)
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { headers: 'X-Other: ***' })
    expect([bob.page.status, fault()[0]]).toEqual([400, expect.stringContaining('there is no stored value to keep')])
  })

  test('a secret goes to no other host unless it is entered again', async () => {
    const guid = await oneCheck({ url: 'https://example.com/?token=hunter2', headers: { 'X-Key': 'swordfish' } })
    for (const path of [`/checks/${guid}/edit`, `/checks/new?from=${guid}`]) {
      await bob.open(path)
      const action = path.startsWith('/checks/new') ? '/checks/new' : path
      await bob.submit(action, { url: 'https://evil.example/?token=***' })
      const kept = 'the scheme, host or port of the target has changed'
      expect(bob.page.status).toBe(400)
      expect(bob.page.html.split(kept).length).toBeGreaterThan(2)
    }
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { headers: 'X-Key: ***\nHost: evil.example' })
    expect([bob.page.status, fault()[0]]).toEqual([400, expect.stringContaining('the Host header has changed')])
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { insecure_skip_verify: 'on' })
    expect([bob.page.status, fault()[0]]).toEqual([400, expect.stringContaining('was turned on')])
    expect(await stored(guid)).toMatchObject({ url: 'https://example.com/?token=hunter2', insecure_skip_verify: false })
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { url: 'https://evil.example/', headers: 'X-Key: typed again' })
    expect(await stored(guid)).toMatchObject({ url: 'https://evil.example/', headers: { 'X-Key': 'typed again' } })
  })

  test('an edit cannot make a definition private by the way', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { url: '' })
    expect([bob.page.status, fault()]).toEqual([400, ['“Target” is required.']])
    expect(await stored(guid)).toMatchObject({ url: 'https://example.com/' })
  })

  test('monitors are all, some or none; an edit leaves one that is switched off its checks', async () => {
    const [one, two, shared] = [await w.monitor(org), await w.monitor(org), await w.monitor(null)]
    const guid = await oneCheck({}, 'none')
    const choose = async (who: string, ...monitors: string[]) => {
      await bob.open(`/checks/${guid}/edit`)
      await bob.submit(`/checks/${guid}/edit`, { who, monitors })
      return runners(guid)
    }
    expect(await choose('chosen', one.id, shared.id)).toEqual([one.id, shared.id].toSorted())
    await switchMonitor(w.deps, shared.id, 'platform_enabled', false)
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { name: 'renamed' })
    expect(await runners(guid)).toEqual([one.id, shared.id].toSorted())
    await switchMonitor(w.deps, shared.id, 'platform_enabled', true)
    expect(await choose('all')).toEqual(expect.arrayContaining([one.id, two.id, shared.id]))
    expect(await stored(guid)).toMatchObject({ all_monitors: true })
    expect(await choose('none')).toEqual([])
    expect(await choose('chosen')).toEqual([])
  })

  test('ticking a monitor means this monitor, also without a word on the choice above', async () => {
    const [one, two] = [await w.monitor(org), await w.monitor(org)]
    await w.monitor(null)
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { name: 'shop', url: 'https://shop.example/', monitors: one.id })
    const guid = guidHere()
    expect(await stored(guid)).toMatchObject({ all_monitors: false })
    expect(await runners(guid)).toEqual([one.id])
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { monitors: [one.id, two.id] })
    expect(await runners(guid)).toEqual([one.id, two.id].toSorted())
  })

  test('a tick survives another fault of the form as what it means', async () => {
    const one = await w.monitor(org)
    await w.monitor(null)
    await bob.open('/checks/new')
    await bob.submit('/checks/new', { name: 'shop', url: '', monitors: one.id })
    expect(bob.page.status).toBe(400)
    await bob.submit('/checks/new', { url: 'https://shop.example/' })
    expect(await runners(guidHere())).toEqual([one.id])
  })

  test('all monitors can be chosen without removing the ticks first', async () => {
    const one = await w.monitor(org)
    const guid = await oneCheck({}, 'none')
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { who: 'chosen', monitors: one.id })
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { who: 'all' })
    expect(await stored(guid)).toMatchObject({ all_monitors: true })
    // All are ticked now; whoever removes a tick means the others.
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { monitors: one.id })
    expect(await stored(guid)).toMatchObject({ all_monitors: (await runners(guid)).length > 1 })
  })

  test('ticks and a choice that contradict each other are refused, in words, and nothing is saved', async () => {
    const [one, two] = [await w.monitor(org), await w.monitor(org)]
    const guid = await oneCheck({}, 'none')
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { who: 'all', monitors: [one.id, two.id] })
    expect([bob.page.status, fault()]).toEqual([
      400,
      [
        '“All monitors” is selected, but individual monitors are selected too. Choose “Selected monitors” or clear the individual monitors.',
      ],
    ])
    expect(await runners(guid)).toEqual([])
    expect(await stored(guid)).toMatchObject({ all_monitors: false })
  })

  test('a restricted check is refused to the shared fleet, in words', async () => {
    const shared = await w.monitor(null)
    const guid = await oneCheck({}, 'none')
    await bob.open(`/checks/${guid}/edit`)
    await bob.submit(`/checks/${guid}/edit`, { restricted: 'on', who: 'chosen', monitors: shared.id })
    expect(bob.page.status).toBe(400)
    expect(fault()[0]).toContain(`must not include the shared monitor ${shared.id}`)
    expect(await stored(guid)).toMatchObject({ restricted: false })
  })

  test('paused and resumed by a button', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}`)
    await bob.submit(`/checks/${guid}/pause`)
    expect(bob.text()).toContain('Paused')
    expect(await stored(guid)).toMatchObject({ enabled: false })
    await bob.submit(`/checks/${guid}/resume`)
    expect(await stored(guid)).toMatchObject({ enabled: true })
    expect(await actions()).toEqual(['check.pause', 'check.resume'])
  })

  test('deleted after a question, and gone', async () => {
    const guid = await oneCheck()
    await bob.open(`/checks/${guid}/delete`)
    expect(bob.text()).toContain('Delete “shop”?')
    await bob.submit(`/checks/${guid}/delete`)
    expect([bob.page.path, await actions()]).toEqual(['/checks', ['check.delete']])
    expect((await bob.open(`/checks/${guid}`)).status).toBe(404)
    expect((await bob.open(`/checks/${guid}/edit`)).status).toBe(404)
  })

  test('a definition is wiped after it was shown, and nothing here knows it any more', async () => {
    const monitor = await w.monitor(org)
    const guid = await oneCheck({ url: 'https://secret.example/', headers: { 'X-Key': 'k' } })
    await monitor.client.upload([result(guid, { success: false, error: 'connect: secret.example refused' })])
    await bob.open(`/checks/${guid}/wipe`)
    expect(JSON.parse(bob.all('#definition')[0]?.text ?? '')).toEqual({
      [guid]: { url: 'https://secret.example/', headers: { 'X-Key': '***' } },
    })
    await bob.submit(`/checks/${guid}/wipe`)
    expect(await stored(guid)).toMatchObject({ url: '', headers: {}, restricted: true })
    expect(await actions()).toEqual(['check.wipe'])
    await bob.open(`/checks/${guid}`)
    expect(bob.page.html).not.toContain('secret.example')
    await bob.open(`/checks/${guid}/definition`)
    expect(bob.page.html).not.toContain('secret.example')
    expect(bob.text()).toContain('Private definition: the target and success criteria are stored only on your monitors')
  })

  test('what is not of this org is not there, whatever is done to it', async () => {
    const other = await w.org()
    const [theirs = ''] = await w.checks(other, [{ name: 'theirs' }])
    const before = await stored(theirs)
    await bob.open('/checks/new')
    const csrf = bob.all('form[action="/checks/new"] input[name=csrf]')[0]?.getAttribute('value') ?? ''
    for (const path of ['', '/edit', '/delete', '/wipe'])
      expect((await bob.open(`/checks/${theirs}${path}`)).status).toBe(404)
    expect((await bob.open(`/checks/new?from=${theirs}`)).status).toBe(404)
    for (const verb of ['edit', 'pause', 'resume', 'delete', 'wipe']) {
      const fields = { csrf, name: 'x', url: 'https://example.com/', interval_sec: '60' }
      expect((await bob.post(`/checks/${theirs}/${verb}`, fields)).status).toBe(404)
      expect((await bob.post(`/checks/%00/${verb}`, fields)).status).toBe(404)
    }
    expect(await stored(theirs)).toEqual(before)
    await bob.open('/checks')
    expect(bob.text()).not.toContain('theirs')
  })
})
