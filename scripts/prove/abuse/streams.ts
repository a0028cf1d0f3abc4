// 200 accounts that take live streams, as many as a person may have, and come back when one ends. Pages of an honest person get their streams,
// keep them, and receive changes.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { recordAuditEntry } from '../../../packages/server/dist/domain/audit/record.js'
import { countBy, tally, until } from '../../lab/proof.ts'
import { openOrg } from '../../lab/world.ts'
import { type Lab, sessionOf, type Story } from './lab.ts'

const ACCOUNTS = 200
const SESSIONS = 2
const STREAMS_OF_SESSION = 10
/** Pause between two streams, because this is no flood of requests. */
const REST_MS = 10
const AGAIN_MS = 5000
const PAGES = 3
const VISIT_EVERY_MS = 2000
const WITHIN_MS = 5000

export const streams: Story = async (lab) => {
  const { deps, seconds } = lab
  const faults = new Set<string>()
  const reader = await openOrg(deps, 'reader')
  const cookie = await sessionOf(deps, reader)
  const kept = Array.from({ length: PAGES }, () => new Stream(lab, cookie, '127.9.3.1'))
  const attack = await startAttack(lab)
  let [visits, slowest_ms] = [0, 0]
  for (const end = performance.now() + seconds * 1000; performance.now() < end; visits++) {
    const visitor = new Stream(lab, cookie, '127.9.3.2')
    await pause(VISIT_EVERY_MS / 2)
    const pages = [visitor, ...kept]
    const before = pages.map(({ heard }) => heard)
    const deaf = () => pages.filter(({ heard }, n) => heard <= (before[n] ?? 0))
    const changed = performance.now()
    const entry = { org_id: reader.org_id, action: 'check.edit' as const, subject: `visit ${visits}` }
    await recordAuditEntry(deps.database.people, deps, undefined, entry)
    await until(() => deaf().length === 0, WITHIN_MS)
    slowest_ms = Math.max(slowest_ms, performance.now() - changed)
    if (visitor.status !== 200) faults.add(`the response to an honest page was ${visitor.status}`)
    else if (deaf().includes(visitor)) faults.add('an honest page did not receive a change')
    if (deaf().some((page) => page !== visitor)) faults.add('a page that was open before did not receive a change')
    visitor.close()
    await pause(VISIT_EVERY_MS / 2)
  }
  const lost = kept.filter(({ isOpen }) => !isOpen).length
  if (lost > 0) faults.add(`${lost} honest pages lost their stream`)
  const taken = attack.stop()
  for (const page of kept) page.close()
  return {
    faults: [...faults],
    figures: [
      `${visits} honest pages beside ${PAGES} that stayed, the slowest change after ${slowest_ms.toFixed(0)} ms`,
      `${ACCOUNTS} accounts: ${taken}`,
    ],
  }
}

/** Opens as many streams as the accounts may have. Streams that end come back. */
async function startAttack(lab: Lab): Promise<{ stop(): string }> {
  const refusals: number[] = []
  const all = new Set<Stream>()
  let [opened, isOver] = [0, false]
  const open = (cookie: string, address: string): void => {
    if (isOver) return
    opened++
    const stream = new Stream(lab, cookie, address, () => {
      all.delete(stream)
      if (stream.status !== 200) refusals.push(stream.status)
      setTimeout(() => open(cookie, address), AGAIN_MS)
    })
    all.add(stream)
  }
  for (let n = 0; n < ACCOUNTS; n++) {
    const org = await openOrg(lab.deps, `taker ${n}`)
    for (let session = 0; session < SESSIONS; session++) {
      const cookie = await sessionOf(lab.deps, org)
      for (let i = 0; i < STREAMS_OF_SESSION; i++) {
        open(cookie, `127.67.${n}.1`)
        await pause(REST_MS)
      }
    }
  }
  await until(() => [...all].every(({ status }) => status !== 0), WITHIN_MS)
  return {
    stop: () => {
      isOver = true
      const held = [...all].filter(({ isOpen }) => isOpen).length
      for (const stream of all) stream.close()
      return `held ${held} streams of ${opened} opened, refused ${tally(countBy(refusals, (status) => `with ${status}`))}`
    },
  }
}

/** Stream of a page. */
class Stream {
  /** 0 if there is no response yet. */
  status = 0
  /** Number of messages. */
  heard = 0
  #isOver = false
  readonly #sending

  constructor({ port }: Lab, cookie: string, localAddress: string, ended = () => {}) {
    const end = (): void => {
      if (this.#isOver) return
      this.#isOver = true
      ended()
    }
    const options = { host: '127.0.0.1', port, path: '/live?v=0', headers: { cookie }, localAddress }
    this.#sending = request({ ...options, agent: new Agent() }, (response) => {
      this.status = response.statusCode ?? 0
      response.setEncoding('utf8').on('data', (text: string) => (this.heard += text.split('data:').length - 1))
      response.once('close', end)
    })
    this.#sending.once('error', end)
    this.#sending.end()
  }

  get isOpen(): boolean {
    return this.status === 200 && !this.#isOver
  }

  close(): void {
    this.#isOver = true
    this.#sending.destroy()
  }
}
