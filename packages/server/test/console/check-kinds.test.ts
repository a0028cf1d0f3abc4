// The form of a check for each type: a target without a scheme, the options of the type, and what does not apply to it.

import { setLimitsGiven } from '@dogwatch/domain/organisations/organisation'
import { expect, test } from '@jest/globals'
import { bob, fault, guidHere, oneCheck, org, stored, w } from '../support/check-pages.ts'

const create = (fields: Record<string, string>) => bob.submit('/checks/new', { name: 'shop', ...fields })

test.each([
  [{ kind: 'icmp', url: '127.0.0.1' }, 'icmp://127.0.0.1'],
  [{ kind: 'dns', url: 'www.shop.example', option_type: 'MX' }, 'dns:///www.shop.example?type=MX'],
  [{ kind: 'dns', url: '1.1.1.1/shop.example' }, 'dns://1.1.1.1/shop.example'],
  [{ kind: 'smtp', url: 'mail.shop.example:587', option_starttls: 'on' }, 'smtp://mail.shop.example:587?starttls=yes'],
  [{ kind: 'domain', url: 'shop.example', option_warn: '60', option_fail: '0' }, 'domain:shop.example?warn=60'],
  [{ kind: 'composite', url: 'tag:web', option_down_at: '2' }, 'composite:tag:web?down_at=2'],
  [{ kind: 'icmp', url: 'https://shop.example/', option_count: '5' }, 'https://shop.example/'],
])('a new check of %j has the target %s, also in a test', async (fields, url) => {
  await w.monitor(org)
  await oneCheck({ name: 'front', tags: ['web'] })
  await bob.open('/checks/new')
  await bob.submit('/checks/new/test', fields)
  expect(bob.all('#field-url')[0]?.getAttribute('value')).toBe(url.split('?')[0])
  await bob.open('/checks/new')
  await create(fields)
  expect(await stored(guidHere())).toMatchObject({ url })
})

test('an edit shows the options in fields, and a target that means the same stays as it was written', async () => {
  const url = 'dns://1.1.1.1/shop.example?type=mx;transport=tcp'
  const guid = await oneCheck({ url })
  await bob.open(`/checks/${guid}/edit`)
  const value = (id: string) => bob.all(`#field-${id}`)[0]?.getAttribute('value')
  const chosen = (id: string) => bob.all(`#field-option_${id} option[selected]`).map(({ text }) => text)
  expect([value('url'), chosen('type'), chosen('transport')]).toEqual(['dns://1.1.1.1/shop.example', ['MX'], ['TCP']])
  const isHidden = (id: string) =>
    bob.all(`[data-option-for]:has(#field-option_${id})`).map((one) => one.hasAttribute('hidden'))
  expect([isHidden('type'), isHidden('count')]).toEqual([[false], [true]])
  await bob.submit(`/checks/${guid}/edit`)
  expect(await stored(guid)).toMatchObject({ url })
  await bob.open(`/checks/${guid}/edit`)
  await bob.submit(`/checks/${guid}/edit`, { option_type: 'A' })
  expect(await stored(guid)).toMatchObject({ url: 'dns://1.1.1.1/shop.example?transport=tcp' })
})

test('an option is refused at its field: with another value in the target, or beyond its limits', async () => {
  await bob.open('/checks/new')
  await create({ kind: 'icmp', url: 'shop.example?count=5', option_count: '4' })
  expect(fault()).toEqual([
    '“Echo requests” is also in the target. Remove the option from the target or clear this field.',
  ])
  await create({ kind: 'icmp', url: 'shop.example', option_count: '99' })
  expect(bob.all('#field-option_count-fault').map(({ text }) => text)).toEqual(['Must be a number from 1 to 10.'])
})

test('what checks of monitors have is marked as foreign to those that the server judges', async () => {
  await w.monitor(org)
  await bob.open('/checks/new')
  const foreign = (scheme: string) =>
    bob.all('[data-not-for]').filter((one) => one.getAttribute('data-not-for')?.split(' ').includes(scheme))
  const has = (scheme: string, selector: string) => foreign(scheme).some((one) => one.querySelector(selector) !== null)
  for (const part of ['[name=private]', '#field-assertions', '[data-test]', '#field-interval_sec', '[name=who]']) {
    expect([part, has('domain', part), has('icmp', part)]).toEqual([part, true, false])
  }
  const summaries = (scheme: string) =>
    foreign(scheme).flatMap((one) => (one.rawTagName === 'span' ? [one.text.trim()] : []))
  expect(summaries('icmp')).toEqual(['Status below 400', 'GET', 'Redirects followed'])
  expect(summaries('domain')).toEqual(expect.arrayContaining(['Timeout: 10 s', 'Retries: 1']))
  const [hint] = bob.all('p').filter(({ text }) => text.includes('goes down within about'))
  expect(hint?.closest('[data-not-for]')?.getAttribute('data-not-for')).toBe('composite domain')
})

test('limits that are of this organisation alone are named without a plan', async () => {
  await setLimitsGiven(w.deps, org.org_id, { min_interval_sec: 10 })
  await bob.open('/checks/new')
  expect(bob.text()).toContain('Minimum: 10 s.')
  expect(bob.text()).not.toContain('plan')
})
