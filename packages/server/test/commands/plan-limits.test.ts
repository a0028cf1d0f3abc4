// The limits of the plans, each at its edge and one beyond, where they bind: when something is created or changed.

import { toAccountCheck } from '@dogwatch/api/account-api/wire'
import { importChecks } from '@dogwatch/domain/checks/import'
import { exportChecks } from '@dogwatch/domain/checks/read'
import { setPlan, setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Operator, operator } from './operator.ts'

let o: Operator
beforeAll(async () => {
  o = await operator()
})
afterAll(() => o.close())

const ENTRY = { name: 'shop', url: 'https://example.com/', interval_sec: 600 }
const many = (count: number, given: Record<string, unknown> = {}) =>
  Array.from({ length: count }, () => ({ ...ENTRY, ...given }))
const put = (org: number, entries: unknown) => importChecks(o.deps, org, entries)
const exported = async (org: number) => (await exportChecks(o.deps, org)).map((check) => toAccountCheck(check))

/** The columns of the service description's table that an import can meet. */
const TABLE = [
  { plan: 'free', checks: 10, interval_sec: 120, timeout_sec: 10, certificates: false, page: false },
  { plan: 'solo', checks: 20, interval_sec: 60, timeout_sec: 30, certificates: true, page: true },
  { plan: 'double', checks: 40, interval_sec: 45, timeout_sec: 45, certificates: true, page: true },
  { plan: 'team', checks: 100, interval_sec: 30, timeout_sec: 60, certificates: true, page: true },
]

describe.each(TABLE)('$plan', ({ plan, checks, interval_sec, timeout_sec, certificates, page }) => {
  test(`${checks} checks fit, one more does not, at once or one by one`, async () => {
    const org = await o.org(plan)
    const line = (made: number) =>
      `the ${plan} plan allows ${checks} checks, but this change would make ${made}; delete checks or change the plan`
    await expect(put(org, many(checks + 1))).rejects.toMatchObject({ kind: 'invalid', message: line(checks + 1) })
    expect(await exported(org)).toEqual([])
    await put(org, many(checks - 1))
    await expect(put(org, many(2))).rejects.toMatchObject({ message: line(checks + 1) })
    await put(org, many(1))
    await expect(put(org, many(1))).rejects.toMatchObject({ message: line(checks + 1) })
    expect(await exported(org)).toHaveLength(checks)
  })

  test('a full org may replace all that it has', async () => {
    const org = await o.org(plan)
    await put(org, many(checks))
    const renamed = (await exported(org)).map((check) => ({ ...check, name: 'new name' }))
    await put(org, renamed)
    expect(await exported(org)).toEqual(renamed)
  })

  test(`every ${interval_sec} s is taken, a second less is not`, async () => {
    const org = await o.org(plan)
    await put(org, [{ ...ENTRY, interval_sec }])
    await expect(put(org, [ENTRY, { ...ENTRY, interval_sec: interval_sec - 1 }])).rejects.toMatchObject({
      message: `[1].interval_sec must be at least ${interval_sec} on the ${plan} plan`,
    })
  })

  test(`a timeout of ${timeout_sec} s is taken, of none too, and a second more is not`, async () => {
    const org = await o.org(plan)
    await put(org, [
      { ...ENTRY, timeout_sec },
      { ...ENTRY, timeout_sec: 0 },
    ])
    const most = plan === 'team' ? 'a whole number from 0 to 60' : `at most ${timeout_sec} on the ${plan} plan`
    await expect(put(org, [{ ...ENTRY, timeout_sec: timeout_sec + 1 }])).rejects.toMatchObject({
      message: `[0].timeout_sec must be ${most}`,
    })
  })

  test(`certificate warnings are ${certificates ? 'taken' : 'refused'}`, async () => {
    const warned = put(await o.org(plan), [{ ...ENTRY, cert_expiry_warn_days: 1 }])
    if (certificates) expect((await warned).guids).toHaveLength(1)
    else await expect(warned).rejects.toMatchObject({ message: '[0].cert_expiry_warn_days must be 0 on the free plan' })
  })

  test(`the status page ${page ? 'can be shown' : 'cannot be shown'}, and hidden in any case`, async () => {
    const org = await o.org(plan)
    const shown = setStatusPage(o.deps, org, true)
    if (page) await shown
    else await expect(shown).rejects.toMatchObject({ message: 'status pages are not included in the free plan' })
    await setStatusPage(o.deps, org, false)
  })
})

describe('after a downgrade', () => {
  test('what exists keeps running, and may be replaced as far as it fits the rules of the new plan', async () => {
    const org = await o.org('team')
    await put(org, many(12, { interval_sec: 120 }))
    await put(org, many(1, { interval_sec: 30 }))
    await put(org, many(1, { timeout_sec: 60 }))
    await put(org, many(1, { cert_expiry_warn_days: 14 }))
    const before = await exported(org)
    await setPlan(o.deps, org, 'free')
    expect(await exported(org)).toEqual(before)

    // The number of them does not stand in the way of replacing.
    await put(org, before.slice(0, 12))
    await expect(put(org, before.slice(12, 13))).rejects.toMatchObject({
      message: '[0].interval_sec must be at least 120 on the free plan',
    })
    await expect(put(org, before.slice(13, 14))).rejects.toMatchObject({
      message: '[0].timeout_sec must be at most 10 on the free plan',
    })
    await expect(put(org, before.slice(14))).rejects.toMatchObject({
      message: '[0].cert_expiry_warn_days must be 0 on the free plan',
    })
    expect(await exported(org)).toEqual(before)
  })

  test('nothing is added, neither alone nor beside what is replaced', async () => {
    const org = await o.org('team')
    await put(org, many(12))
    await setPlan(o.deps, org, 'free')
    const line = 'the free plan allows 10 checks, but this change would make 13; delete checks or change the plan'
    await expect(put(org, [ENTRY])).rejects.toMatchObject({ message: line })
    await expect(put(org, [...(await exported(org)), ENTRY])).rejects.toMatchObject({ message: line })
    expect(await exported(org)).toHaveLength(12)
  })

  test('an upgrade lifts the limits at once', async () => {
    const org = await o.org('free')
    await put(org, many(10))
    await setPlan(o.deps, org, 'solo')
    await put(org, many(10, { interval_sec: 60, timeout_sec: 30, cert_expiry_warn_days: 1 }))
    expect(await exported(org)).toHaveLength(20)
  })
})

test('of two imports at once, each of which would fit alone, one is refused', async () => {
  const org = await o.org('free')
  const tries = await Promise.allSettled([put(org, many(6)), put(org, many(6))])
  expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await exported(org)).toHaveLength(6)
})

test('another org’s checks do not count', async () => {
  await put(await o.org('free'), many(10))
  await put(await o.org('free'), many(10))
})
