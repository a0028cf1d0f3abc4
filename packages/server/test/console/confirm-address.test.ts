// An email address gets alerts only when its owner wants them.

import { createChannels } from '@dogwatch/channels/registry'
import { askOwners } from '@dogwatch/domain/channels/confirmation'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type DeliveryDeps, deliverOnce } from '../../../alerting/src/deliver.ts'
import { happens } from '../../../alerting/test/support/events.ts'
import { liveOn } from '../../../api/test/retention/rows.ts'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { Browser } from '../support/browser.ts'
import { deedsOf, faultsOf, linkIn, MAILER, memberOf, type Somebody } from '../support/console.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let mail: MailServer
let sending: DeliveryDeps
let org: Org
let bob: Somebody
beforeAll(async () => {
  mail = await mailServer()
  w = await world({ console: { mailer: MAILER } })
  const smtp_url = `smtp://127.0.0.1:${mail.port}`
  const channels = createChannels({
    egress_allow: [],
    smtp_url,
    mail_from: 'dogwatch@example.com',
    ntfy_url: 'http://x',
  })
  sending = { ...w.deps, channels, public_url: 'http://dogwatch.example' }
})
afterAll(async () => {
  sending.channels.email?.close?.()
  await w.close()
  await mail.close()
})
beforeEach(async () => {
  mail.got.length = 0
  org = await w.org()
  bob = await memberOf(w, org)
})
afterEach(() => w.rows('delete from deliveries'))

async function send(): Promise<void> {
  while ((await deliverOnce(sending)).claimed > 0) continue
}
let addresses = 0
const address = () => `ops-${addresses++}@example.com`
/** Makes an email channel on the page, and returns its path. */
async function make(email: string, name = 'Click here to win: http://evil.example'): Promise<string> {
  await bob.browser.open('/channels/new?kind=email')
  await bob.browser.submit('/channels/new', { name, email })
  return bob.browser.page.path.split('?')[0] ?? ''
}
const alert = () => happens(w.deps, org.org_id, 'check.down')
const subjects = () => mail.got.map(({ raw }) => /^Subject: (.*)/m.exec(raw)?.[1]?.trim())
const ASKS = 'Dogwatch: confirm this address for alerts'
const stranger = () => new Browser(w.direct)

test('a new address is asked first, alerts wait meanwhile, and go out once its owner pressed the button', async () => {
  const email = address()
  const path = await make(email)
  expect(bob.browser.text()).toContain('Awaiting confirmation')
  await alert()
  await send()
  expect(subjects()).toEqual([ASKS])
  expect(mail.got[0]?.to).toEqual([email])
  await bob.browser.open(path)
  expect(bob.browser.text()).toContain('Awaiting confirmation')
  expect(bob.browser.all(`form[action="${path}/test"]`)).toEqual([])

  const link = linkIn(mail.got[0])
  const owner = stranger()
  await owner.open(link)
  expect(owner.text()).toContain(`send alerts to ${email}`)
  await send()
  expect(mail.got).toHaveLength(1)
  await owner.submit(link)
  expect(owner.text()).toContain('Address confirmed')
  await send()
  expect(subjects()).toEqual([ASKS, 'Down: shop (Connection refused)'])
  await bob.browser.open(path)
  expect(bob.browser.text()).toContain('Enabled')
  expect(await deedsOf(w, org)).toContain(`${email}: channel.confirm Click here to win: http://evil.example`)
  // Again is no fault.
  await owner.open(link)
  expect(owner.text()).toContain('Address confirmed')
})

test('the mail that asks holds no word of whoever has it sent', async () => {
  await w.rows("update organisations set name = 'Cheap pills' where org_id = $1", org.org_id)
  await make(address())
  await send()
  const raw = mail.got[0]?.raw ?? ''
  expect(raw).not.toMatch(/evil|pills|Click/)
  const [row] = await w.rows('select token_hash from channel_confirmations where org_id = $1', org.org_id)
  expect(Buffer.isBuffer(row?.token_hash)).toBe(true)
  expect((row?.token_hash as Buffer).toString('hex')).toHaveLength(64)
})

test('another address is asked anew, and a link for the one before is worth nothing', async () => {
  const path = await make(address())
  await send()
  const link = linkIn(mail.got[0])
  const owner = stranger()
  await owner.open(link)
  await owner.submit(link)
  await bob.browser.open(`${path}/edit`)
  await bob.browser.submit(`${path}/edit`, { name: 'us', email: address() })
  await bob.browser.open(path)
  expect(bob.browser.text()).toContain('Awaiting confirmation')
  await owner.open(link)
  expect(owner.page.status).toBe(404)
  await alert()
  await send()
  expect(subjects()).toEqual([ASKS, ASKS])
})

test('a mailbox is asked three times and then once a day, whoever has it asked and however it is written', async () => {
  const email = address()
  const path = await make(email)
  for (let n = 0; n < 2; n++) {
    await send()
    await bob.browser.open(path)
    await bob.browser.submit(`${path}/ask`)
    expect(bob.browser.page.status).toBe(200)
  }
  await send()
  await bob.browser.open(path)
  await bob.browser.submit(`${path}/ask`)
  expect(bob.browser.page.status).toBe(429)
  org = await w.org()
  bob = await memberOf(w, org)
  const other = await make(email.replace('@', '+more@').toUpperCase())
  expect(other).toMatch(/^\/channels\/\d+$/)
  expect(bob.browser.text()).toContain('No confirmation email has been sent yet')
  await send()
  expect(mail.got).toHaveLength(3)
})

test('the proved address of whoever makes the channel needs no confirmation, and one that was not proved does', async () => {
  await make(bob.email)
  expect(bob.browser.text()).toContain('Awaiting confirmation')
  await w.rows('update people set email_proved_at = now() where person_id = $1', bob.person_id)
  await make(bob.email.toUpperCase())
  expect(bob.browser.text()).toContain('Enabled')
  // That of another is no proof.
  const eve = await memberOf(w, org)
  await w.rows('update people set email_proved_at = now() where person_id = $1', eve.person_id)
  await make(eve.email)
  expect(bob.browser.text()).toContain('Awaiting confirmation')
})

test('an address from before is asked once, works for 30 days, and then its alerts are held, shown and given up', async () => {
  const { id } = await createChannel(w.deps, org.org_id, { kind: 'email', name: 'old', email: address() })
  const until = new Date(w.clock.now().getTime() + 30 * 86_400_000).toISOString()
  await w.rows('update notification_channels set confirmed_at = null, confirm_by = $2 where id = $1', id, until)
  await liveOn(w)
  for (let run = 0; run < 3; run++) await askOwners(w.deps)
  await alert()
  await send()
  expect(subjects().sort()).toEqual([ASKS, 'Down: shop (Connection refused)'])
  await bob.browser.open(`/channels/${id}`)
  expect(bob.browser.text()).toMatch(/alerts stop in 2?[93]\d? ?d/)
  w.clock.forward(30 * 86_400)
  await alert()
  await send()
  expect(mail.got).toHaveLength(2)
  const states = async () =>
    (
      await w.rows(
        'select state, last_error from deliveries where channel_id = $1 order by delivery_id desc limit 1',
        id,
      )
    )[0]
  expect(await states()).toMatchObject({ state: 'pending' })
  w.clock.forward(3 * 86_400 + 1)
  await liveOn(w)
  await askOwners(w.deps)
  expect(await states()).toEqual({
    state: 'failed',
    last_error: 'the owner of the address did not confirm it within 3 days',
  })
})

test('an operator vouches for an address, or has its owner asked', async () => {
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'us', email: address() })
  await createChannel(w.deps, org.org_id, { kind: 'email', name: 'them', email: address() }, undefined, {
    asksOwner: true,
  })
  await alert()
  await send()
  expect(subjects().sort()).toEqual([ASKS, 'Down: shop (Connection refused)'])
})

test('a link that nobody was sent, or that is too old, is refused', async () => {
  const owner = stranger()
  await owner.open('/confirm-address/unknown')
  expect(owner.page.status).toBe(404)
  await make(address())
  await send()
  w.clock.forward(7 * 86_400 + 1)
  await owner.open(linkIn(mail.got[0]))
  expect(owner.page.status).toBe(404)
  expect(faultsOf(owner)).toBeDefined()
})
