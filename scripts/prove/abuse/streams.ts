// 200 accounts that take live streams, each as many as a person may have, and come back whenever one ends. Pages of an honest person get
// their streams, keep them, and hear of what changes.
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { recordAuditEntry } from '../../../packages/server/dist/domain/audit/record.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { openSession } from '../../../packages/server/dist/domain/people/sessions.js'
import type { Lab, Story } from './lab.ts'

const ACCOUNTS = 200
const SESSIONS = 2
const STREAMS_OF_SESSION = 10
/** Rest between two streams of the attack: it takes what there is, and is no flood of requests. */
const REST_MS = 10
const AGAIN_MS = 5_000
const PAGES = 3
const VISIT_EVERY_MS = 2_000
const WITHIN_MS = 5_000

let faults: string[] = []

export const streams: Story = {
  name: 'streams',
  faults: () => faults,
  run: async (lab) => {
    faults = []
    const { deps, seconds } = lab
    const honest = await accountOf(lab, 'reader')
    const kept = Array.from({ length: PAGES }, () => listen(lab, honest.cookies[0] ?? '', '127.9.3.1'))
    const attackers = await attack(lab)
    const waits_ms: number[] = []
    let visits = 0
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      const visitor = listen(lab, honest.cookies[0] ?? '', '127.9.3.2')
      visits++
      await pause(VISIT_EVERY_MS / 2)
      const heardBefore = [visitor, ...kept].map(({ heard }) => heard())
      const changed = performance.now()
      const deed = { org_id: honest.org_id, action: 'check.edit' as const, subject: `visit ${visits}` }
      await recordAuditEntry(deps.database.people, deps, undefined, deed)
      await until(() => [visitor, ...kept].every(({ heard }, n) => heard() > (heardBefore[n] ?? 0)), WITHIN_MS)
      const [isVisitorTold = false, ...areKeptTold] = [visitor, ...kept].map(
        ({ heard }, n) => heard() > (heardBefore[n] ?? 0),
      )
      if (visitor.status() !== 200) faults.push(`streams: an honest page was answered ${visitor.status()}`)
      else if (!isVisitorTold) faults.push('streams: an honest page did not hear of a change')
      if (areKeptTold.includes(false)) faults.push('streams: a page that was open before did not hear of a change')
      waits_ms.push(performance.now() - changed)
      visitor.close()
      await pause(VISIT_EVERY_MS / 2)
    }
    const lost = kept.filter(({ isOpen }) => !isOpen()).length
    if (lost > 0) faults.push(`streams: ${lost} honest pages lost their stream`)
    const told = attackers.stop()
    for (const one of kept) one.close()
    return [
      `${visits} honest pages opened beside ${PAGES} that stayed, the slowest change was heard after ${Math.max(...waits_ms).toFixed(0)} ms`,
      `${ACCOUNTS} accounts held ${told.open} streams and opened ${told.opened}, answered ${told.statuses}`,
    ]
  },
}

async function accountOf({ deps }: Lab, name: string): Promise<{ org_id: number; cookies: string[] }> {
  const wanted = { name, plan: 'team', owner_email: `${name}@example.com` }
  const { org_id, owner_id } = await createOrganisation(deps, wanted)
  const cookies: string[] = []
  for (let n = 0; n < SESSIONS; n++) cookies.push(`dogwatch-session=${await openSession(deps, owner_id, org_id)}`)
  return { org_id, cookies }
}

/** Opens as many streams as the accounts may have, until the last one is answered. Those that end come back. */
async function attack(lab: Lab) {
  const statuses: Record<string, number> = {}
  const all = new Set<Listener>()
  let [opened, isOver] = [0, false]
  const open = (cookie: string, address: string): void => {
    if (isOver) return
    opened++
    const one = listen(lab, cookie, address, (status) => {
      all.delete(one)
      if (status !== 200) statuses[status] = (statuses[status] ?? 0) + 1
      setTimeout(() => open(cookie, address), AGAIN_MS)
    })
    all.add(one)
  }
  for (let n = 0; n < ACCOUNTS; n++) {
    const { cookies } = await accountOf(lab, `taker-${n}`)
    for (const cookie of cookies) {
      for (let i = 0; i < STREAMS_OF_SESSION; i++) {
        open(cookie, `127.67.${n}.1`)
        await pause(REST_MS)
      }
    }
  }
  await until(() => [...all].every(({ status }) => status() !== 0), WITHIN_MS)
  return {
    stop: () => {
      isOver = true
      const open = [...all].filter(({ isOpen }) => isOpen())
      for (const one of all) one.close()
      const others = Object.entries(statuses).map(([status, count]) => `, ${count} with ${status}`)
      return { open: open.length, opened, statuses: `200${others.join('')}` }
    },
  }
}

interface Listener {
  /** 0: not answered yet. */
  status(): number
  /** Number of messages. */
  heard(): number
  isOpen(): boolean
  close(): void
}

/** Holds a stream as a page does. */
function listen({ port }: Lab, cookie: string, localAddress: string, ended = (_: number): void => {}): Listener {
  let [status, heard, isOver] = [0, 0, false]
  const over = (): void => {
    if (isOver) return
    isOver = true
    ended(status)
  }
  const options = { host: '127.0.0.1', port, path: '/live?v=0', headers: { cookie }, localAddress, agent: new Agent() }
  const sending = request(options, (answer) => {
    status = answer.statusCode ?? 0
    answer.setEncoding('utf8').on('data', (text: string) => (heard += text.split('data:').length - 1))
    answer.once('close', over)
  })
  sending.once('error', over)
  sending.end()
  return {
    status: () => status,
    heard: () => heard,
    isOpen: () => status === 200 && !isOver,
    close: () => {
      isOver = true
      sending.destroy()
    },
  }
}

async function until(holds: () => boolean, within_ms: number): Promise<void> {
  const end = performance.now() + within_ms
  while (!holds() && performance.now() < end) await pause(20)
}
