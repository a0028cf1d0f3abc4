// Whose mail is next: pure but for timers that nobody waits for.
import { expect, test } from '@jest/globals'
import { type Behalf, MailQueue, type MailQueueBounds } from './mail-queue.ts'

const BOUNDS: MailQueueBounds = { at_once: 2, of_kind: 2, of_sender: 1, waiting: 4, waiting_of_sender: 3 }
const LONG_MS = 60_000

/** Notes in which order mails are sent, and lets them end one by one. */
function noting(queue: MailQueue) {
  const sent: string[] = []
  const lost: string[] = []
  const ends = new Map<string, () => void>()
  const send = (name: string, kind: Behalf['kind'], sender: string, wait_ms = LONG_MS): void => {
    const job = () => {
      sent.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }
    queue.run({ kind, sender }, wait_ms, job).catch(({ code }: { code: string }) => lost.push(`${name}: ${code}`))
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await turn()
  }
  return { sent, lost, send, end }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a flood of one sender takes its own turns, and the mail of another is next', async () => {
  const { sent, send, end } = noting(new MailQueue(BOUNDS))
  for (const n of [1, 2, 3]) send(`flood ${n}`, 'reset', 'greedy')
  send('honest', 'reset', 'other')
  expect(sent).toEqual(['flood 1', 'honest'])
  await end('flood 1')
  expect(sent).toEqual(['flood 1', 'honest', 'flood 2'])
})

test('however many senders of one kind there are, another kind has the next turn', async () => {
  const { sent, send, end } = noting(new MailQueue(BOUNDS))
  for (const n of [1, 2, 3, 4, 5]) send(`sign-up ${n}`, 'sign-up', `network ${n}`)
  send('reset', 'reset', 'network 1')
  await end('sign-up 2')
  expect(sent).toEqual(['sign-up 1', 'sign-up 2', 'reset'])
})

test('one kind leaves connections to others', () => {
  const { sent, send } = noting(new MailQueue({ ...BOUNDS, of_kind: 1 }))
  for (const n of [1, 2]) send(`sign-up ${n}`, 'sign-up', `network ${n}`)
  send('reset', 'reset', 'network 3')
  expect(sent).toEqual(['sign-up 1', 'reset'])
})

test('a sender beyond its part of what waits is refused, and a full line gives up the newest of whoever has most', async () => {
  const { sent, lost, send } = noting(new MailQueue({ ...BOUNDS, at_once: 1 }))
  send('first', 'reset', 'x')
  for (const n of [1, 2, 3, 4]) send(`greedy ${n}`, 'reset', 'greedy')
  for (const n of [1, 2, 3]) send(`honest ${n}`, 'reset', 'honest')
  await turn()
  expect(sent).toEqual(['first'])
  expect(lost).toEqual(['greedy 4: MAIL_QUEUE_FULL', 'greedy 3: MAIL_QUEUE_FULL', 'honest 3: MAIL_QUEUE_FULL'])
})

test('a mail that waits for too long is given up, and so is all that waits at the end', async () => {
  const queue = new MailQueue({ ...BOUNDS, at_once: 1 })
  const { sent, lost, send, end } = noting(queue)
  send('first', 'reset', 'x')
  send('hurried', 'invitation', 'y', 1)
  send('patient', 'reset', 'y')
  while (lost.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  queue.close()
  await end('first')
  expect({ sent, lost }).toEqual({ sent: ['first'], lost: ['hurried: MAIL_TOO_LATE', 'patient: MAIL_TOO_LATE'] })
})

test('a mail that fails gives its connection back, and its sender hears why', async () => {
  const queue = new MailQueue({ ...BOUNDS, at_once: 1 })
  const failing = queue.run({ kind: 'reset', sender: 'x' }, LONG_MS, () => Promise.reject(new Error('no')))
  await expect(failing).rejects.toThrow('no')
  await expect(queue.run({ kind: 'reset', sender: 'x' }, LONG_MS, async () => 'sent')).resolves.toBe('sent')
})
