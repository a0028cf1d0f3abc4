// Links in alerts by which whoever reads one acknowledges or mutes its incident without signing in: timelines.

import { createChannels } from '@dogwatch/channels/registry'
import { createChannel, removeChannel } from '@dogwatch/domain/channels/edit'
import { deleteCheck } from '@dogwatch/domain/checks/pause-delete-wipe'
import { remind } from '@dogwatch/domain/events/remind'
import { createHeartbeat, removeHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { findHeartbeatOfToken, takePing } from '@dogwatch/domain/heartbeats/take-ping'
import { acknowledgeByLink, createLink, muteByLink, requireLink } from '@dogwatch/domain/incidents/link'
import { rotateLinkSecret } from '@dogwatch/domain/incidents/link-secret'
import { mute } from '@dogwatch/domain/mutes/mute'
import { resumeOrganisation, suspendOrganisation } from '@dogwatch/domain/organisations/suspension'
import { readSignedToken, signedToken } from '@dogwatch/runtime/signed-tokens'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { deliverOnce } from '../../../alerting/src/deliver.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { requestFrom } from '../../../api/test/support/from-address.ts'
import { linkToken, readLinkToken } from '../../../domain/src/incidents/link-token.ts'
import { Browser } from '../support/browser.ts'
import { deedsOf, ownerOf } from '../support/console.ts'
import { type Org, result, type World, world } from '../support/world.ts'

let w: World
let inbox: Receiver
beforeAll(async () => {
  w = await world()
  inbox = await receiver()
})
afterAll(async () => {
  await w.close()
  await inbox.close()
})

const settings = () => ({
  egress_allow: ['127.0.0.0/8'],
  smtp_url: undefined,
  mail_from: undefined,
  ntfy_url: inbox.url,
})

/** Sends what is due, and returns the webhooks that arrived, with the path of the link in each. */
async function arrive(): Promise<{ type: string; link: string | undefined }[]> {
  const from = inbox.got.length
  const sending = { ...w.deps, channels: createChannels(settings()), public_url: 'https://dogwatch.example/' }
  while ((await deliverOnce(sending)).claimed > 0) continue
  return inbox.got.slice(from).map(({ body }) => {
    const { type, data } = JSON.parse(body) as { type: string; data: { acknowledge_url?: string } }
    return { type, link: data.acknowledge_url?.replace('https://dogwatch.example', '') }
  })
}

async function hear(org: Org, name = 'on call'): Promise<number> {
  return (await createChannel(w.deps, org.org_id, { kind: 'webhook', name, webhook_url: inbox.url })).id
}

/** A check that is down, and the link in the alert about it. */
async function downCheck(entry: Record<string, unknown> = {}) {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop', ...entry }], 'all')
  const channel_id = await hear(org)
  const run = (success: boolean) =>
    monitor.client.upload([
      result(guid, { ran_at: w.clock.now().toISOString(), success, ...(!success && { error: 'refused: no' }) }),
    ])
  await run(false)
  const [told] = await arrive()
  const token = told?.link?.replace('/a/', '') ?? ''
  return { org, guid, channel_id, run, link: told?.link ?? '', token }
}

const stranger = () => new Browser(w.direct)
const incidentOf = async ({ org_id }: Org) =>
  (await w.rows('select acknowledged_by, ended_at from incidents where org_id = $1 order by began_at desc', org_id))[0]

describe('the link in an alert', () => {
  test('changes nothing when it is opened, and acknowledges by one button, under the name that is typed', async () => {
    const { org, link } = await downCheck()
    const reader = stranger()
    // Scanners of mails and chats look at links, in every way there is.
    for (const method of ['GET', 'HEAD', 'GET']) await fetch(w.direct + link, { method })
    expect(await incidentOf(org)).toMatchObject({ acknowledged_by: null })
    const { status, headers } = await reader.open(link)
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'cache-control': 'no-store',
    })
    expect(reader.text()).toContain('shop is down')
    await reader.submit(link, { do: 'acknowledge', name: 'Ana' })
    expect(reader.text()).toContain('Acknowledged by Ana (channel on call)')
    await reader.open(link)
    expect(reader.all('button[value=acknowledge]')).toEqual([])
    expect(await deedsOf(w, org)).toEqual(['Ana (channel on call): check.acknowledge shop'])
    expect((await arrive()).map(({ type }) => type)).toEqual(['check.acknowledged'])
    expect(await incidentOf(org)).toMatchObject({ acknowledged_by: 'Ana (channel on call)' })
  })

  test('says why it is down, and in which zone its times are', async () => {
    const { link, run } = await downCheck()
    const reader = stranger()
    await reader.open(link)
    expect(reader.text()).toContain('Connection: no')
    expect(reader.all('footer.zone').map((one) => one.text.trim())).toEqual(['Times shown in UTC (24-hour).'])
    reader.keep('dogwatch-zone=Europe%2FBerlin%2024')
    await reader.open(link)
    expect(reader.all('footer.zone').map((one) => one.text.trim())).toEqual(['Times shown in Europe/Berlin (24-hour).'])
    w.clock.forward(600)
    await run(true)
    await reader.open(link)
    expect(reader.text()).toContain('Connection: no')
    await arrive()
  })

  test('of two clicks at once counts the first; without a name the channel stands for its reader', async () => {
    const { org, token } = await downCheck()
    const both = [0, 1].map(() => acknowledgeByLink(w.deps, { token, name: ' ' }))
    expect((await Promise.all(both)).toSorted()).toEqual([false, true])
    expect((await arrive()).map(({ type }) => type)).toEqual(['check.acknowledged'])
    expect(await incidentOf(org)).toMatchObject({ acknowledged_by: 'the channel on call' })
  })

  test('acts for the member who is signed in', async () => {
    const { org, link } = await downCheck()
    const owner = await ownerOf(w, org)
    await owner.browser.open(link)
    expect(owner.browser.text()).toContain(`Signed in as ${owner.email}.`)
    await owner.browser.submit(link, { do: 'acknowledge' })
    expect(await incidentOf(org)).toMatchObject({ acknowledged_by: owner.email })
    const other = await ownerOf(w, await w.org())
    await other.browser.open(link)
    expect(other.browser.text()).not.toContain(other.email)
    await arrive()
  })

  test('mutes for the time that is chosen, and for none that is not offered', async () => {
    const { org, link } = await downCheck()
    const reader = stranger()
    await reader.open(link)
    await reader.submit(link, { do: 'mute', for: '4h', name: 'Ana' })
    expect(reader.text()).toMatch(/Muted by Ana \(channel on call\)\. .* ends in 4 h/)
    const [mute] = await w.rows(
      'select muted_until - muted_at = $2 as is_right from mutes where org_id = $1',
      org.org_id,
      '4 hours',
    )
    expect(mute).toEqual({ is_right: true })
    const odd = ['date', '9999d', 'resolved', '1d', 'constructor', '', '4h,morning']
    for (const fields of [...odd.map((value) => ({ do: 'mute', for: value })), { do: 'delete' }, { do: 'unmute' }]) {
      await reader.open(link)
      expect([fields, (await reader.submit(link, { until: '2026-12-31T00:00', ...fields })).status]).toEqual([
        fields,
        400,
      ])
    }
    await reader.open(link)
    expect((await reader.submit(link, { do: 'acknowledge', name: 'a\u0007b' })).status).toBe(400)
    await reader.open(link)
    expect((await reader.submit(link, { do: 'acknowledge', name: 'a'.repeat(61) })).status).toBe(400)
  })

  test('mutes until the next morning at most: the page offers no more, whatever the clock says, and takes no more', async () => {
    const { org, link, token } = await downCheck()
    const reader = stranger()
    const offered = () => reader.all('select[name=for] option').map((one) => one.getAttribute('value'))
    const seen: unknown[] = []
    for (const hour of ['16:00', '02:30', '08:30', '09:30']) {
      w.clock.forward(((Date.parse(`2027-01-02T${hour}:00Z`) - w.clock.now().getTime() + 86_400_000) / 1000) % 86_400)
      await reader.open(link)
      seen.push([hour, ...offered()])
    }
    expect(seen).toEqual([
      ['16:00', '1h', '4h', '8h', 'morning'],
      ['02:30', '1h', '4h', 'morning'],
      ['08:30', 'morning'],
      ['09:30', '1h', '4h', '8h', 'morning'],
    ])
    const tooLate = new Date(w.clock.now().getTime() + 26 * 3_600_000)
    await expect(muteByLink(w.deps, { token, name: '' }, tooLate)).rejects.toThrow(
      'can mute only until the next morning',
    )
    await reader.submit(link, { do: 'mute', for: 'morning' })
    expect(reader.text()).toMatch(/ends in 23 h/)
    expect(await w.rows('select incident_id from mutes where org_id = $1', org.org_id)).toEqual([{ incident_id: null }])
  })

  test('does not end the mute of a member sooner', async () => {
    const { org, guid, link } = await downCheck()
    const reader = stranger()
    await reader.open(link)
    const bob = { person_id: 0, email: 'bob@example.com', impersonator_email: null }
    const what = { org_id: org.org_id, kind: 'check', guid } as const
    for (const until of ['resolved', new Date(w.clock.now().getTime() + 7 * 86_400_000)] as const) {
      await mute(w.deps, what, until, bob)
      const before = await w.rows('select muted_until, muted_by from mutes where org_id = $1', org.org_id)
      const csrf = reader.all('main input[name=csrf]')[0]?.getAttribute('value') ?? ''
      await reader.post(link, { csrf, do: 'mute', for: '1h' })
      expect([reader.page.status, reader.text()]).toEqual([
        409,
        expect.stringContaining('is already muted until a later time'),
      ])
      expect(await w.rows('select muted_until, muted_by from mutes where org_id = $1', org.org_id)).toEqual(before)
      await reader.open(link)
      expect(reader.all('select[name=for]')).toEqual([])
    }
  })

  test('mutes until it is resolved: nobody is reminded, the recovery is told, and so is the next incident', async () => {
    const { org, guid, link, run } = await downCheck({ resend_interval_sec: 300 })
    const reader = stranger()
    const { browser, email } = await ownerOf(w, org)
    await browser.open(`/checks/${guid}`)
    await browser.submit(`/checks/${guid}/mute`, { for: 'resolved' })
    await reader.open(link)
    expect(reader.text()).toContain(`Muted by ${email} until resolved. No alerts are sent`)
    for (const path of ['/', '/checks', `/checks/${guid}`]) {
      await browser.open(path)
      expect(browser.text().replaceAll(/\s+/g, ' ')).toMatch(/[Mm]uted by \S+@example\.com until resolved/)
    }
    for (let n = 0; n < 3; n++) {
      w.clock.forward(301)
      await run(false)
      await remind(w.deps)
    }
    expect(await arrive()).toEqual([])
    w.clock.forward(10)
    await run(true)
    expect((await arrive()).map(({ type }) => type)).toEqual(['check.up'])
    await browser.open(`/checks/${guid}`)
    expect(browser.text()).not.toContain('Muted by')
    expect(browser.all('button[value=resolved]')).toEqual([])
    w.clock.forward(10)
    await run(false)
    expect((await arrive()).map(({ type }) => type)).toEqual(['check.down'])
  })

  test('is seen in the lists of checks and heartbeats by whom it was used', async () => {
    const { org, token } = await downCheck()
    const job = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
    const { guid } = await createHeartbeat(w.deps, org.org_id, job)
    const bob = { person_id: 0, email: 'bob@example.com', impersonator_email: null }
    const inAnHour = new Date(w.clock.now().getTime() + 3_600_000)
    await mute(w.deps, { org_id: org.org_id, kind: 'heartbeat', guid }, inAnHour, bob)
    const { browser } = await ownerOf(w, org)
    await browser.open('/checks')
    expect(browser.text()).not.toContain('Acknowledged by')
    await acknowledgeByLink(w.deps, { token, name: 'Ana' })
    await browser.open('/checks')
    expect(browser.text()).toMatch(/Acknowledged by Ana \(channel on call\)/)
    await browser.open('/heartbeats')
    expect(browser.text()).toMatch(/Muted by bob@example\.com; ends in 1 h/)
    await arrive()
  })

  test('stands in reminders too, and in no other alert', async () => {
    const { run } = await downCheck({ resend_interval_sec: 300 })
    w.clock.forward(301)
    await remind(w.deps)
    const [reminder] = await arrive()
    expect(reminder).toEqual({
      type: 'check.reminder',
      link: expect.stringMatching(/^\/a\/dogwatch_act_[0-9A-Za-z]{50,60}$/),
    })
    await run(true)
    expect(await arrive()).toEqual([{ type: 'check.up', link: undefined }])
  })

  test('of a heartbeat does the same', async () => {
    const org = await w.org()
    await hear(org)
    const job = { name: 'job', interval_sec: 60, grace_sec: 0, resend_interval_sec: 0, show_on_status_page: false }
    const { guid, token: key } = await createHeartbeat(w.deps, org.org_id, job)
    const place = await findHeartbeatOfToken(w.deps, key)
    await takePing(w.deps, place, { kind: 'fail', exit_code: null, rid: null, body: null }, w.clock.now())
    const [{ link = '' } = {}] = await arrive()
    const reader = stranger()
    await reader.open(link)
    await reader.submit(link, { do: 'acknowledge', name: 'Ana' })
    expect(reader.text()).toContain('Acknowledged by Ana')
    await removeHeartbeat(w.deps, guid)
    expect((await reader.open(link)).status).toBe(404)
    expect(reader.text()).toContain('was deleted')
    await arrive()
  })
})

describe('a link that leads nowhere any more says why', () => {
  test('the incident is over, and another one has begun', async () => {
    const { org, link, run, token } = await downCheck()
    const early = stranger()
    await early.open(link)
    w.clock.forward(60)
    await run(true)
    expect((await early.submit(link, { do: 'acknowledge' })).status).toBe(409)
    await early.open(link)
    expect(early.text()).toContain('shop has recovered')
    expect(early.all('main form')).toEqual([])
    w.clock.forward(60)
    await run(false)
    await expect(acknowledgeByLink(w.deps, { token, name: '' })).rejects.toThrow('this incident has already ended')
    expect(await incidentOf(org)).toMatchObject({ acknowledged_by: null, ended_at: null })
    await arrive()
  })

  test('an acknowledgement by a link that races the recovery is told before it, or refused', async () => {
    for (let n = 0; n < 4; n++) {
      const { org, token, run } = await downCheck()
      w.clock.forward(60)
      const asked = [() => acknowledgeByLink(w.deps, { token, name: '' }), () => run(true)]
      const [first, second] = n % 2 === 0 ? asked : asked.toReversed()
      const both = await Promise.allSettled([first?.(), second?.()])
      const isRefused = both.some(({ status }) => status === 'rejected')
      const types = await w.rows(
        'select e.type from deliveries d join events e using (org_id, event_id) where d.org_id = $1 order by d.delivery_id',
        org.org_id,
      )
      expect(types.map(({ type }) => type)).toEqual(
        isRefused ? ['check.down', 'check.up'] : ['check.down', 'check.acknowledged', 'check.up'],
      )
    }
    await arrive()
  })

  test('it is older than seven days', async () => {
    const { token } = await downCheck()
    w.clock.forward(7 * 86_400 - 60)
    await requireLink(w.deps, token)
    w.clock.forward(3660)
    await expect(requireLink(w.deps, token)).rejects.toThrow('links in alerts work for 7 days')
  })

  test('its channel was deleted, its organisation is suspended, its check was deleted', async () => {
    const { org, guid, channel_id, token } = await downCheck()
    await suspendOrganisation(w.deps, org.org_id)
    await expect(requireLink(w.deps, token)).rejects.toThrow('is suspended')
    await resumeOrganisation(w.deps, org.org_id)
    const other = await hear(org, 'another')
    const [open] = await w.rows('select incident_id from incidents where org_id = $1 and ended_at is null', org.org_id)
    const data = { incident_id: open?.incident_id }
    const ofOther = await createLink(w.deps, {
      org_id: org.org_id,
      channel_id: other,
      type: 'check.down',
      data,
      created_at: w.clock.now().toISOString(),
    })
    await removeChannel(w.deps, channel_id)
    await expect(requireLink(w.deps, token)).rejects.toThrow(
      'this link no longer works, because its channel was deleted',
    )
    expect(await requireLink(w.deps, ofOther ?? '')).toMatchObject({ channel_name: 'another' })
    await deleteCheck(w.deps, guid)
    await expect(requireLink(w.deps, ofOther ?? '')).rejects.toThrow(
      'this link no longer works, because its check or heartbeat was deleted',
    )
  })

  test('the operator revoked all links', async () => {
    const { token } = await downCheck()
    await rotateLinkSecret(w.deps)
    await expect(requireLink(w.deps, token)).rejects.toThrow('this link is invalid')
    const next = await downCheck()
    await requireLink(w.deps, next.token)
  })
})

describe('what is no link', () => {
  const SECRET = Buffer.alloc(32, 7)
  const content = {
    org_id: 300,
    channel_id: 70_000,
    incident_id: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0003',
    expires_at: new Date('2026-11-27T12:00:00Z'),
  }

  test('a link of another organisation, a forged one and one with any character changed are refused alike', async () => {
    const { org, channel_id, token } = await downCheck()
    const [own] = await w.rows('select secret from link_secret')
    const real = readLinkToken(own?.secret as Buffer, token)
    expect(real).toMatchObject({ org_id: org.org_id, channel_id })
    const forged = linkToken(SECRET, { ...content, ...real })
    const at = 'dogwatch_act_'.length
    const changed = [at, at + 10, at + 30, token.length - 1].map(
      (n) => token.slice(0, n) + (token[n] === 'A' ? 'B' : 'A') + token.slice(n + 1),
    )
    for (const wrong of [forged, ...changed, `${token}0`, token.slice(0, -1), 'anything', '']) {
      await expect(requireLink(w.deps, wrong)).rejects.toThrow('this link is invalid')
    }
    // Genuine, and for an incident that its organisation does not have.
    const other = await w.org()
    const crossed = linkToken(own?.secret as Buffer, { ...content, ...real, org_id: other.org_id })
    await expect(requireLink(w.deps, crossed)).rejects.toThrow('was deleted')
    expect((await stranger().open('/a/nonsense')).status).toBe(404)
  })

  test('a token keeps what it says, and stays short', () => {
    for (const org_id of [1, 127, 128, 300, 2 ** 31, 2 ** 45]) {
      const token = linkToken(SECRET, { ...content, org_id })
      expect(readLinkToken(SECRET, token)).toEqual({ ...content, org_id })
    }
    expect(linkToken(SECRET, content).length).toBeLessThan(75)
    expect(readLinkToken(Buffer.alloc(32, 8), linkToken(SECRET, content))).toBeUndefined()
    for (const bytes of [Buffer.alloc(1), Buffer.alloc(40, 255), Buffer.from([2, 1, 1, 1])]) {
      const token = signedToken('act', SECRET, bytes)
      expect(readSignedToken('act', SECRET, token)).toEqual(bytes)
      expect(readLinkToken(SECRET, token)).toBeUndefined()
    }
  })
})

test('a receiver that repeats the link in its refusal does not bring it into the delivery log', async () => {
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'all')
  const gotify = {
    kind: 'gotify',
    name: 'phone',
    gotify_url: inbox.url.replace('/hook', ''),
    gotify_token: 'AbCdEfGhIjKlMnO',
  }
  await createChannel(w.deps, org.org_id, gotify)
  inbox.answer = (response, { json }) => {
    response.writeHead(500).end(JSON.stringify({ errorDescription: String(json.message).slice(-120) }))
  }
  await monitor.client.upload([
    result(guid, { ran_at: w.clock.now().toISOString(), success: false, error: 'refused: no' }),
  ])
  await deliverOnce({ ...w.deps, channels: createChannels(settings()), public_url: 'https://dogwatch.example' })
  inbox.answer = 204
  const [kept] = await w.rows('select last_error from deliveries where org_id = $1', org.org_id)
  expect(kept?.last_error).toContain('https://dogwatch.example/a/dogwatch_act_...')
})

test('links are not opened without end from one address', async () => {
  const { link } = await downCheck()
  const statuses: number[] = []
  // From an address of its own: the other tests of this file open links as well.
  const open = () => requestFrom('127.0.7.1', w.direct + link)
  while (statuses.length < 100 && statuses.at(-1) !== 429) statuses.push((await open()).status)
  expect(statuses.length).toBeGreaterThan(10)
  expect([...new Set(statuses)]).toEqual([200, 429])
})
