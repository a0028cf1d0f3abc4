// Floods as a free account: monitors without end, and results that no check ever produced. Enrollment has a rate and results have a budget;
// what exceeds the budget is handed back, so that no valid result is lost.
import { createEnrollmentToken } from '../../../packages/server/dist/domain/monitors/enrollment-tokens.js'
import { ask } from './ask.ts'
import type { Story } from './lab.ts'

const ENROLLMENTS = 400
const IN_FLIGHT = 8
const ADDRESSES = 20
const RESULTS_EACH = 500
const SPREAD_SEC = 30 * 86_400
const SAMPLE = 'a made-up answer of a made-up target '.repeat(27)
/** Maximum growth of the database by a free account. In megabytes. */
const MOST_MB = 80
/** Number of monitors that a free account may enroll within an hour. */
const MOST_MONITORS = 50

let faults: string[] = []

export const writes: Story = {
  name: 'writes',
  faults: () => faults,
  run: async ({ port, seconds, deps, attacker, makeChecks }) => {
    faults = []
    const guids = await makeChecks()
    const { token } = await createEnrollmentToken(deps, attacker.org_id)
    const post = (n: number, path: string, bearer: string, body: unknown) =>
      ask({
        port,
        address: `127.68.1.${(n % ADDRESSES) + 1}`,
        path: `/monitor-api/v1/${path}`,
        method: 'POST',
        headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    const keys: string[] = []
    await each(ENROLLMENTS, Infinity, async (n) => {
      const { status, text } = await post(n, 'enroll', token, { name: `${n}`, region: 'r', country: 'c', city: 'c' })
      if (status === 200) keys.push((JSON.parse(text) as { api_key: string }).api_key)
    })
    const before = await sizeMb(deps)
    let [uploads, submitted, accepted, handedBack, lost] = [0, 0, 0, 0, 0]
    const end = performance.now() + seconds * 1000
    await each(Infinity, end, async (n) => {
      const results = Array.from({ length: RESULTS_EACH }, (_, i) => ({
        check_guid: guids[i % guids.length],
        monitor_id: '',
        ran_at: new Date(Date.now() - Math.random() * SPREAD_SEC * 1000).toISOString(),
        success: true,
        http_status: 200,
        latency_ms: 1,
        response_sample: SAMPLE,
      }))
      const { status, text } = await post(n, 'results', keys[n % keys.length] ?? '', { results, partial: true })
      if (status !== 200) return
      uploads++
      submitted += RESULTS_EACH
      const answer = JSON.parse(text) as { accepted: number; again?: number[] }
      const again = answer.again?.length ?? 0
      accepted += answer.accepted
      handedBack += again
      lost += RESULTS_EACH - answer.accepted - again
    })
    const grown_mb = (await sizeMb(deps)) - before
    if (keys.length > MOST_MONITORS) faults.push(`writes: ${keys.length} monitors enrolled`)
    if (lost > 0) faults.push(`writes: ${lost} valid results were dropped`)
    if (handedBack === 0) faults.push('writes: the flood never exceeded the budget')
    if (grown_mb > MOST_MB) faults.push(`writes: the database grew by ${grown_mb.toFixed(0)} MB`)
    return [
      `${keys.length} of ${ENROLLMENTS} monitors enrolled`,
      `${uploads} uploads: ${accepted} of ${submitted} results stored, ${handedBack} handed back, ${lost} dropped, the database grew by ${grown_mb.toFixed(0)} MB`,
    ]
  },
}

/** Does it with every number, some at once, until they or the time run out. */
async function each(count: number, end: number, work: (n: number) => Promise<void>): Promise<void> {
  let n = 0
  const lane = async () => {
    while (n < count && performance.now() < end) await work(n++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
}

async function sizeMb(deps: Parameters<Story['run']>[0]['deps']): Promise<number> {
  const { rows } = await deps.database.pools.machines.query<{ mb: number }>(
    'select pg_database_size(current_database())::float8 / 1e6 as mb',
  )
  return rows[0]?.mb ?? 0
}
