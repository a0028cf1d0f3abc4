// The weekly report: what it says, who gets it, and how they stop it.

import { weeklyReportMail } from '@dogwatch/console/weekly-report-mail'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { removeMember } from '@dogwatch/domain/organisations/members'
import { requestDeletion, resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { switchPerson } from '@dogwatch/domain/people/edit'
import { uptime } from '@dogwatch/domain/results/uptime'
import { type ReportToSend, sendWeeklyReports, untilNextReports } from '@dogwatch/domain/weekly-report/send'
import { createMailer, isUnsent } from '@dogwatch/runtime/mail'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { mailServer } from '../../../channels/test/support/mail-server.ts'
import { dayText, UTC } from '../../../console/src/times.ts'
import { readOverview } from '../../../domain/src/checks/overview.ts'
import { Browser } from '../support/browser.ts'
import { memberOf, ownerOf, type Somebody } from '../support/console.ts'
import { type Org, result, type World, world } from '../support/world.ts'

const HOUR_SEC = 3600
const WEEK_SEC = 7 * 24 * HOUR_SEC
const MAILER = { send: async () => {}, close: () => {} }

let w: World
let org: Org
let owner: Somebody
beforeAll(async () => {
  w = await world({ console: { mailer: MAILER } })
})
afterAll(() => w.close())
beforeEach(async () => {
  // The next Monday, 08:00 UTC.
  w.clock.forward((await untilNextReports(w.deps)) / 1000 || WEEK_SEC)
  await w.rows('update memberships set weekly_report = false')
  org = await w.org()
  owner = await ownerOf(w, org)
  await w.checks(org, [{ name: 'shop' }])
  await w.rows("update memberships set joined_at = '2026-01-01'")
})

/** Everything that is sent in one run. */
async function sent(answer: 'sent' | 'unsent' = 'sent'): Promise<ReportToSend[]> {
  const got: ReportToSend[] = []
  await sendWeeklyReports(w.deps, async (one) => {
    got.push(one)
    return answer
  })
  return got
}
const recipients = async () => (await sent()).map(({ email }) => email)
const by = () => ({ person_id: owner.person_id, email: owner.email, impersonator_email: null })

test('it is sent on Monday from 08:00 UTC for a day, and rests until the next', async () => {
  expect(w.clock.now().toISOString()).toMatch(/T08:00:00/)
  expect(w.clock.now().getUTCDay()).toBe(1)
  expect(await untilNextReports(w.deps)).toBe(0)
  w.clock.forward(24 * HOUR_SEC)
  expect(await untilNextReports(w.deps)).toBe(6 * 24 * HOUR_SEC * 1000)
})

test('the owner of a new organisation gets it, and a member who does not ask for it does not', async () => {
  await memberOf(w, org)
  await w.rows("update memberships set joined_at = '2026-01-01'")
  expect(await recipients()).toEqual([owner.email])
})

test('two workers send each report once, and once a week', async () => {
  const bob = await memberOf(w, org)
  await w.rows("update memberships set joined_at = '2026-01-01', weekly_report = true where org_id = $1", org.org_id)
  const both = (await Promise.all([sent(), sent()])).flat().map(({ email }) => email)
  both.push(...(await recipients()))
  expect(both.toSorted()).toEqual([owner.email, bob.email].toSorted())
  w.clock.forward(WEEK_SEC)
  expect(await sent()).toHaveLength(2)
})

test('a report whose sending breaks off is not sent again; one that the mail server did not take is', async () => {
  await sendWeeklyReports(w.deps, async () => {
    throw new Error('broken off')
  })
  expect(await recipients()).toEqual([])
  w.clock.forward(WEEK_SEC)
  expect(await sent('unsent')).toHaveLength(1)
  expect(await recipients()).toEqual([])
  w.clock.forward(600)
  expect(await recipients()).toEqual([owner.email])
  expect(await recipients()).toEqual([])
})

test('nobody gets it for a suspended organisation, as a disabled person, with an unproved address, or after leaving', async () => {
  const bob = await memberOf(w, org)
  await w.rows("update memberships set joined_at = '2026-01-01', weekly_report = true where org_id = $1", org.org_id)
  await suspendOrganisation(w.deps, org.org_id)
  expect(await recipients()).toEqual([])
  await resumeOrganisation(w.deps, org.org_id)
  await requestDeletion(w.deps, org.org_id)
  expect(await recipients()).toEqual([])
  await resumeOrganisation(w.deps, org.org_id)
  await switchPerson(w.deps, owner.email, false)
  await w.rows('update people set claimed_at = now() where person_id = $1', bob.person_id)
  expect(await recipients()).toEqual([])
  await w.rows('update people set claimed_at = null where person_id = $1', bob.person_id)
  await removeMember(w.deps, org.org_id, bob.email)
  expect(await recipients()).toEqual([])
})

test('an organisation that watches nothing has no report', async () => {
  await w.rows('update checks set deleted = true where org_id = $1', org.org_id)
  expect(await recipients()).toEqual([])
})

test('its numbers are those of the page', async () => {
  const monitor = await w.monitor(org)
  const [slow = '', gone = ''] = await w.checks(org, [{ name: 'slow one' }, { name: 'broken one' }], [monitor.id])
  const at = (hours: number) => new Date(w.clock.now().getTime() - hours * HOUR_SEC * 1000).toISOString()
  const cert_expires_at = new Date(w.clock.now().getTime() + 9.5 * 86_400_000).toISOString()
  await monitor.client.upload([
    result(slow, { ran_at: at(0.02), latency_ms: 900, cert_expires_at }),
    result(slow, { ran_at: at(0.04), latency_ms: 700 }),
    result(gone, { ran_at: at(0.03), latency_ms: 10 }),
    result(gone, { ran_at: at(0.02), success: false, error: 'refused' }),
  ])
  const job = { name: 'backup', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
  await createHeartbeat(w.deps, org.org_id, job, by())
  await w.rows(
    `insert into incidents (org_id, incident_id, heartbeat_id, began_at, told_at, ended_at, end_reason)
     select org_id, 'late-' || heartbeat_id, heartbeat_id, $2::timestamptz, $2::timestamptz, $3::timestamptz, 'recovered'
     from heartbeats where org_id = $1`,
    org.org_id,
    at(30),
    at(28),
  )
  const [one] = await sent()
  if (!one) throw new Error('no report')
  const { checks } = await readOverview(w.deps, org.org_id)
  expect(one.report.checks).toEqual(checks)
  const { text, headers } = weeklyReportMail(one, 'https://dogwatch.example')
  const broken = checks.find(({ name }) => name === 'broken one')
  expect(uptime(broken?.week ?? { runs: 0, failures: 0 })).toBe(50)
  expect(text).toMatch(/ {2}broken one: 50% over .+, 1 of 2 runs failed\n/)
  expect(text).toMatch(/  slow one: 800 ms, 95th percentile \d+ ms\n/)
  expect(text).toContain(`  slow one: ${dayText(new Date(cert_expires_at), UTC)}, 9 days left\n`)
  expect(text).toContain('Incidents: 1\n  broken one: down for 1 min 12 s from ')
  expect(text).toContain('Heartbeats with downtime:\n  backup: down for 2 h from ')
  expect(text).toMatch(/Not monitored:\n(?: {2}.*\n)* {2}shop: for /)
  await owner.browser.open('/checks')
  expect(owner.browser.text()).toContain('50% up over')
  expect(headers).toEqual({
    'List-Unsubscribe': `<https://dogwatch.example/unsubscribe/${one.token}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

test('the link in the mail asks, its button stops the reports, and the account page starts them again', async () => {
  const server = await mailServer()
  const mailer = createMailer({ smtp_url: `smtp://127.0.0.1:${server.port}`, mail_from: 'dogwatch@example.com' })
  const [one] = await sent()
  if (!one || !mailer) throw new Error('no report')
  await mailer.send(weeklyReportMail(one, 'http://dogwatch.example'), { kind: 'report', sender: 'us' })
  mailer.close()
  await server.close()
  const [mail] = server.got
  expect(mail?.to).toEqual([owner.email])
  expect(mail?.raw).toMatch(/^List-Unsubscribe:\s+<http:\/\/dogwatch\.example\/unsubscribe\//m)
  const link = `/unsubscribe/${one.token}`
  expect(mail?.raw.replaceAll('=\r\n', '')).toContain(`http://dogwatch.example${link}`)
  const stranger = new Browser(w.direct)
  await stranger.open(link)
  await owner.browser.open('/account')
  expect(owner.browser.text()).toContain('Turn off reports for')
  await stranger.submit(link, {})
  expect(stranger.text()).toContain('Unsubscribed')
  await owner.browser.open('/account')
  expect(owner.browser.text()).toContain('Turn on reports for')
  w.clock.forward(WEEK_SEC)
  expect(await recipients()).toEqual([])
  await owner.browser.submit('/account/weekly-report', {})
  expect(owner.browser.text()).toContain('Turn off reports for')
  expect(await recipients()).toEqual([owner.email])
  await owner.browser.submit('/account/weekly-report', {})
  w.clock.forward(WEEK_SEC)
  expect(await recipients()).toEqual([])
})

test('a mail program stops them with one request from anywhere, and only with the secret', async () => {
  const [one] = await sent()
  const post = (token: string) =>
    fetch(`${w.direct}/unsubscribe/${token}`, {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
      redirect: 'error',
    })
  expect((await post('unknown')).status).toBe(404)
  w.clock.forward(WEEK_SEC)
  expect(await sent()).toHaveLength(1)
  expect([(await post(one?.token ?? '')).status, (await post(one?.token ?? '')).status]).toEqual([200, 200])
  w.clock.forward(WEEK_SEC)
  expect(await recipients()).toEqual([])
})

test('a mail counts as unsent only when the server certainly does not have it', async () => {
  const mailer = createMailer({ smtp_url: 'smtp://127.0.0.1:1', mail_from: 'dogwatch@example.com' })
  const mail = { to: 'us@example.com', subject: 'x', text: 'x' }
  const error = await mailer?.send(mail, { kind: 'report', sender: 'us' }).catch((err: unknown) => err)
  mailer?.close()
  expect(isUnsent(error)).toBe(true)
  expect([{ responseCode: 451 }, { responseCode: 550 }, { code: 'ETIMEDOUT', command: 'DATA' }].map(isUnsent)).toEqual([
    true,
    false,
    false,
  ])
})
