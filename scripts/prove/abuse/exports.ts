// Endless exports: with all tokens that an organisation may have, from many addresses, while other tenants export as
// well.
import { setTimeout as pause } from 'node:timers/promises'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { createPersonalToken } from '../../../packages/server/dist/domain/organisations/personal-tokens.js'
import { ask } from './ask.ts'
import { crowd, told } from './crowd.ts'
import type { Story } from './lab.ts'

const TOKENS = 40
const ADDRESSES = 10
const OTHERS = 10
const RESULTS = 40_000
/** A small tenant's export must be answered within this time, including its wait. */
const MOST_MS = 5_000

const FILL = `
  insert into results (org_id, check_id, ran_at, latency_ms, http_status, success, monitor_id, response_sample)
  select org_id, check_id, now() - n * interval '1 minute', 1, 503, false, 'greedymonitor', repeat(md5(n::text), 30)
  from (select org_id, check_id from checks where org_id = $1 limit 1) c, generate_series(1, $2::integer) n
  on conflict do nothing`

let faults: string[] = []

export const exports: Story = {
  name: 'exports',
  faults: () => faults,
  run: async ({ port, seconds, deps, attacker, makeChecks }) => {
    faults = []
    await makeChecks()
    await deps.database.pools.machines.query(FILL, [attacker.org_id, RESULTS])
    const tokens = await Promise.all(
      Array.from({ length: TOKENS }, () => createPersonalToken(deps, attacker.org_id).then(({ token }) => token)),
    )
    const others: string[] = []
    for (let n = 0; n < OTHERS; n++) {
      const wanted = { name: `other ${n}`, plan: 'team', owner_email: `other${n}@example.com` }
      const { org_id } = await createOrganisation(deps, wanted)
      others.push((await createPersonalToken(deps, org_id)).token)
    }
    let n = 0
    const say = () =>
      `GET /account-api/v1/export HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tokens[n++ % TOKENS]}\r\n\r\n`
    const attacks = Array.from({ length: ADDRESSES }, (_, i) =>
      crowd({ port, address: `127.67.1.${i + 1}`, connections: TOKENS / ADDRESSES, say }),
    )
    const answers: { status: number; ms: number }[] = []
    for (const token of others) {
      await pause((seconds * 1000) / OTHERS)
      const headers = { Authorization: `Bearer ${token}` }
      answers.push(await ask({ port, address: '127.67.2.1', path: '/account-api/v1/export', headers }))
    }
    const statuses: Record<string, number> = {}
    for (const attack of attacks) {
      attack.stop()
      for (const [status, count] of Object.entries(attack.statuses)) statuses[status] = (statuses[status] ?? 0) + count
    }
    const slowest = Math.max(...answers.map(({ ms }) => ms))
    const refused = answers.filter(({ status }) => status !== 200).length
    if (refused > 0) faults.push(`exports: ${refused} exports of others were refused`)
    if (slowest > MOST_MS) faults.push(`exports: an export of another took ${slowest.toFixed(0)} ms`)
    return [
      `${TOKENS} tokens of one organisation: answered ${told(statuses)}`,
      `exports of ${OTHERS} others: ${refused} refused, the slowest ${slowest.toFixed(0)} ms`,
    ]
  },
}
