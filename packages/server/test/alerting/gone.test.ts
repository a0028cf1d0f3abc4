// A webhook that answers 410: it is switched off once and for all, and its owner hears of it.

import { createChannels } from '@dogwatch/channels/registry'
import { createChannel, editChannel, readChannel, switchOneChannel } from '@dogwatch/domain/channels/edit'
import { type GoneChannel, tellGone } from '@dogwatch/domain/channels/gone'
import { readDeliveries } from '@dogwatch/domain/events/delivery-log'
import { createMailer } from '@dogwatch/runtime/mail'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type DeliveryDeps, deliverOnce } from '../../../alerting/src/deliver.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { runChores } from '../../src/chores.ts'
import { ownerOf } from '../support/console.ts'
import { eventually, type Org, type World, world } from '../support/world.ts'

let w: World
let sending: DeliveryDeps
let inbox: Receiver
let org: Org
beforeAll(async () => {
  w = await world()
  const settings = {
    egress_allow: ['127.0.0.0/8'],
    smtp_url: undefined,
    mail_from: undefined,
    ntfy_url: 'http://127.0.0.1:1',
  }
  sending = { ...w.deps, channels: createChannels(settings), public_url: 'https://dogwatch.example' }
})
afterAll(() => w.close())
beforeEach(async () => {
  ;[inbox, org] = [await receiver(), await w.org()]
  inbox.answer = 410
})
afterEach(async () => {
  await inbox.close()
  await w.rows('update notification_channels set gone_mail_at = null')
})

const channel = async (kind: 'webhook' | 'slack' = 'webhook') =>
  (await createChannel(w.deps, org.org_id, { kind, name: 'on call', webhook_url: inbox.url })).id
const isOn = async (id: number) => (await readChannel(w.deps, { org_id: org.org_id, id })).enabled

/** Goes down: an event, tried once. */
async function goesDown(): Promise<void> {
  await happens(w.deps, org.org_id, 'check.down')
  await deliverOnce(sending)
}

/** Everybody who is told now. */
async function told(): Promise<GoneChannel[]> {
  const got: GoneChannel[] = []
  await tellGone(w.deps, async (one) => void got.push(one))
  return got
}

test('it is switched off, what waits for it is given up, and the page, the log and the audit log say why', async () => {
  const id = await channel()
  for (const type of ['check.down', 'heartbeat.down'] as const) await happens(w.deps, org.org_id, type)
  await deliverOnce(sending, { limit: 1 })
  expect(inbox.got).toHaveLength(1)
  expect(await isOn(id)).toBe(false)
  expect(
    (await readDeliveries(w.deps, org.org_id)).map(({ state, attempts, last_status, last_error }) => [
      state,
      attempts,
      last_status,
      last_error,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['failed', 1, 410, 'status 410: the URL no longer exists, so the channel was disabled'],
      [
        'failed',
        0,
        null,
        'the receiving service reported that the destination no longer exists, so the channel was turned off',
      ],
    ]),
  )
  const { browser } = await ownerOf(w, org)
  await browser.open(`/channels/${id}`)
  expect(browser.text()).toMatch(/This channel was disabled .* because the receiver reported/)
  expect(
    await w.rows(
      'select actor, action, subject from audit_entries where org_id = $1 and actor = $2',
      org.org_id,
      'dogwatch',
    ),
  ).toEqual([{ actor: 'dogwatch', action: 'channel.disable', subject: 'on call' }])
  await goesDown()
  expect(inbox.got).toHaveLength(1)
})

test('a channel that leads elsewhere by now stays on', async () => {
  const id = await channel()
  const elsewhere = await receiver()
  inbox.answer = async (response) => {
    await editChannel(w.deps, { org_id: org.org_id, id }, { name: 'on call', webhook_url: elsewhere.url })
    response.writeHead(410).end()
  }
  await goesDown()
  expect(await isOn(id)).toBe(true)
  await elsewhere.close()
})

test.each([404, 401, 500, 301])('%i switches nothing off', async (status) => {
  const id = await channel()
  inbox.answer = status
  await goesDown()
  expect([await isOn(id), await told()]).toEqual([true, []])
})

test('a Slack channel stays on, whatever Slack says', async () => {
  const id = await channel('slack')
  await goesDown()
  expect(await isOn(id)).toBe(true)
})

test('the owner is told once, and again on another day alone', async () => {
  const id = await channel()
  await goesDown()
  const { email } = await ownerOf(w, org)
  expect(await told()).toMatchObject([{ id, name: 'on call', owner_email: email }])
  expect(await told()).toEqual([])
  const again = async () => {
    await switchOneChannel(w.deps, { org_id: org.org_id, id }, true)
    await goesDown()
    expect(await isOn(id)).toBe(false)
    return told()
  }
  expect(await again()).toEqual([])
  w.clock.forward(86_401)
  expect(await again()).toHaveLength(1)
})

test('a mail that could not be sent is sent later; nobody is told of a channel that is on again', async () => {
  await channel()
  await goesDown()
  await tellGone(w.deps, () => Promise.reject(new Error('the mail server is away')))
  expect(await told()).toEqual([])
  w.clock.forward(61)
  expect(await told()).toHaveLength(1)
  const other = await channel()
  await goesDown()
  await switchOneChannel(w.deps, { org_id: org.org_id, id: other }, true)
  expect(await told()).toEqual([])
})

test('the worker sends the mail, with the host and a link, and nothing of what is secret in the url', async () => {
  const mail: MailServer = await mailServer()
  const mailer = createMailer({ smtp_url: `smtp://127.0.0.1:${mail.port}`, mail_from: 'dogwatch@example.com' })
  if (!mailer) throw new Error('no mailer')
  const webhook_url = inbox.url.replace('//', '//alice:pa55word@')
  const { id } = await createChannel(w.deps, org.org_id, { kind: 'webhook', name: 'on call', webhook_url })
  await goesDown()
  const stop = runChores(w.deps, undefined, { mail: { mailer, public_url: 'http://dogwatch.example' } })
  await eventually(() => mail.got.length > 0, 'the owner has mail')
  await stop()
  const [first] = mail.got
  expect(first?.to).toEqual([(await ownerOf(w, org)).email])
  expect(first?.raw).toContain(`http://dogwatch.example/channels/${id}`)
  expect(first?.raw).toContain(new URL(inbox.url).host)
  expect(first?.raw).not.toMatch(/pa55word|alice/)
  mailer.close()
  await mail.close()
})
