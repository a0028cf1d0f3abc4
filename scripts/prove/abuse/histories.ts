// A tenant with 60 days of 100 hourly windows, 200 checks and a public status page: anonymous visitors and its own tokens ask for what is
// counted from all of that.
import { importChecks } from '../../../packages/server/dist/domain/checks/import.js'
import { createOrganisation, setCustomLimits } from '../../../packages/server/dist/domain/organisations/organisation.js'
import { PLANS } from '../../../packages/server/dist/domain/organisations/plans.js'
import { createWindow } from '../../../packages/server/dist/domain/maintenance/edit.js'
import { attackFor, openToken, send } from './config.ts'
import type { Lab, Story } from './lab.ts'

const CHECKS = 200
const WINDOWS = 100
const LANES = 6
const SLUG = 'abused-history'
const DAYS_BACK = 60

export const histories: Story = {
  name: 'histories',
  run: async (lab) => {
    const token = await setHistory(lab)
    const paths = [`/status/${SLUG}`, `/status/${SLUG}.json`, '/summaries?limit=500', '/metrics', '/maintenance']
    const figure = await attackFor(lab, token, { network: '127.72.0', lanes: LANES }, (n) => {
      return { method: 'GET', path: paths[n % paths.length] ?? '' }
    })
    return [`${WINDOWS} windows and ${CHECKS} checks: ${figure}`]
  },
}

/** Returns a token of the organisation. Its windows were on in the past, which no request can arrange. */
async function setHistory(lab: Lab): Promise<string> {
  const { deps, port } = lab
  const { org_id } = await createOrganisation(deps, { name: 'past', plan: 'team', owner_email: 'past@example.com' })
  const file = Array.from({ length: CHECKS }, (_, n) => {
    return { name: `check ${n}`, url: `https://check-${n}.example.com/`, interval_sec: 60 + (n % 7) }
  })
  await setCustomLimits(deps, org_id, { ...PLANS.team, max_checks: 0 })
  const { guids } = await importChecks(deps, org_id, file, 'none')
  const starts_at = new Date(Date.now() + 60_000).toISOString().slice(0, 16)
  for (let n = 0; n < WINDOWS; n++) {
    const scope = n % 2 === 0 ? { all: true as const } : { checks: guids.filter((_, index) => index % WINDOWS !== n) }
    const schedule = { starts_at, duration_sec: 600, zone: 'UTC', rule: 'FREQ=HOURLY' }
    await createWindow(deps, org_id, { name: `window ${n}`, scope, is_public: true, ...schedule } as never).catch(
      () => {},
    )
  }
  const back = `- ${DAYS_BACK} * interval '1 day'`
  const { machines } = deps.database.pools
  for (const [table, ...columns] of [
    ['maintenance_spans', 'begins_at', 'ends_at'],
    ['check_schedules', 'since'],
    ['checks', 'created_at'],
  ]) {
    const moved = columns.map((column) => `${column} = ${column} ${back}`)
    await machines.query(`update ${table} set ${moved.join(', ')} where org_id = $1`, [org_id])
  }
  const token = await openToken(lab, org_id)
  const entries = guids.map((check, n) => ({ check, public_name: `check ${n}` }))
  const body = { enabled: true, slug: SLUG, title: 'Past', description: '', entries }
  const { status, text } = await send(port, token, '127.72.1.1', { method: 'PUT', path: '/status-page', body })
  if (status !== 200) throw new Error(`the status page was not set: ${status} ${text}`)
  return token
}
