// A flood of mails beside one that somebody waits for, by a real mail server that answers when it is told to.

import { createMailer, type Mailer } from '@dogwatch/runtime/mail'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type MailServer, mailServer } from '../../../channels/test/support/mail-server.ts'
import { eventually } from '../support/world.ts'

const seen: string[] = []
const held: (() => void)[] = []

let mail: MailServer
let mailer: Mailer
beforeAll(async () => {
  mail = await mailServer({
    onRcptTo: ({ address }, _session, done) => {
      seen.push(address)
      held.push(() => done())
    },
  })
  const made = createMailer({ smtp_url: `smtp://127.0.0.1:${mail.port}`, mail_from: 'dogwatch@example.com' })
  if (!made) throw new Error('no mailer')
  mailer = made
})
afterAll(async () => {
  mailer.close()
  for (const letGo of held) letGo()
  await mail.close()
})

test('a hundred links for signing up, asked for from a hundred networks, do not delay one for a new password', async () => {
  const send = (to: string, kind: 'sign-up' | 'reset', sender: string) =>
    mailer.send({ to, subject: 's', text: 't' }, { kind, sender })
  const flood = Array.from({ length: 100 }, (_, n) => send(`flood-${n}@example.com`, 'sign-up', `network ${n}`))
  for (const one of flood) one.catch(() => {})
  await eventually(() => seen.length === 4, 'they have all connections but one')
  const reset = send('owner@example.com', 'reset', 'network 1')
  await eventually(() => seen.length === 5, 'the next mail is under way')
  expect(seen[4]).toBe('owner@example.com')
  held[4]?.()
  await reset
})
