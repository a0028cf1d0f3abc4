// Endless alerts: 15,000 deliveries to one channel, and 15 channels whose receivers hang, beside a tenant whose own
// alerts must arrive within five seconds.
import { setTimeout as pause } from 'node:timers/promises'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import type { Lab, Story } from './lab.ts'
import { listen, median, tell, victim } from './receivers.ts'

const FLOOD = 15_000
const HANGING = 15
const HANG_MS = 14_000
const WITHIN_MS = 5_000
const ALERT_EVERY_MS = 1_000

let faults: string[] = []

export const alerts: Story = {
  name: 'alerts',
  faults: () => faults,
  run: async (lab) => {
    faults = []
    const { deps, seconds } = lab
    const attacked = await attack(lab)
    const honest = await victim(lab, 'quiet', '127.77.1.1', (webhook_url) => ({
      kind: 'webhook',
      name: 'hook',
      webhook_url,
    }))
    for (let n = 0; n < (seconds * 1000) / ALERT_EVERY_MS; n++) {
      await honest.alert(n)
      await pause(ALERT_EVERY_MS)
    }
    // The last ones get their five seconds, and a little longer to see how late they are.
    await pause(2 * WITHIN_MS)
    const { came_ms, missing } = honest.tell()
    const worst = Math.max(...came_ms)
    if (missing > 0) faults.push(`alerts: ${missing} honest alerts did not arrive`)
    if (worst > WITHIN_MS) faults.push(`alerts: an honest alert took ${worst.toFixed(0)} ms`)
    const { rows } = await deps.database.pools.machines.query<{ state: string; count: number }>(
      `select case when summary_id is null then state else 'summarised' end as state, count(*)::integer as count
       from deliveries where org_id = $1 group by 1 order by 1`,
      [attacked.org_id],
    )
    return [
      `${came_ms.length} honest alerts arrived, the slowest after ${worst.toFixed(0)} ms, half within ${median(came_ms).toFixed(0)} ms`,
      `the attacker's ${FLOOD} alerts and ${HANGING} hanging receivers: ${attacked.received()} requests taken`,
      `its deliveries: ${rows.map(({ state, count }) => `${count} ${state}`).join(', ')}`,
    ]
  },
}

/** The attacker's alerts are all written before the honest ones, and so are older. */
async function attack({ deps, undo }: Lab): Promise<{ org_id: number; received: () => number }> {
  const { org_id } = await createOrganisation(deps, { name: 'loud', plan: 'team', owner_email: 'loud@example.com' })
  let received = 0
  const url = await listen('127.77.2.1', undo, async (path) => {
    received++
    if (path === '/hang') await pause(HANG_MS)
    return path === '/hang' ? 500 : 204
  })
  const hook = async (path: string) =>
    (await createChannel(deps, org_id, { kind: 'webhook', name: path, webhook_url: url + path })).id
  for (let n = 0; n < HANGING; n++) await hook('/hang')
  for (let n = 0; n < 20; n++) await tell(deps, org_id, `loud ${n}`)
  const fast = await hook('/fast')
  await deps.database.pools.machines.query(
    `insert into deliveries (org_id, event_id, channel_id, subject, created_at, next_attempt_at)
     select org_id, event_id, $2, 'flood:' || n, created_at, created_at
     from (select * from events where org_id = $1 limit 1) e, generate_series(1, $3) n`,
    [org_id, fast, FLOOD],
  )
  return { org_id, received: () => received }
}
