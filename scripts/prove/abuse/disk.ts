// What a free account can make the database keep: windows with long scopes, edited again and again, answers for repeats, and the audit log.
import { attackFor, openToken, send } from './config.ts'
import type { Lab, Story } from './lab.ts'

const NAMES = 2000
const EDITS = 6
const LANES = 4
/** The most that the database may grow by, in MB: one create and six edits send 700 KB, and the rest is bounded by rates and budgets. */
const MOST_MB = 60

let faults: string[] = []

export const disk: Story = {
  name: 'disk',
  faults: () => faults,
  run: async (lab) => {
    faults = []
    const { port, attacker } = lab
    const token = await openToken(lab, attacker.org_id)
    const guids = await lab.makeChecks()
    await deleteWindows(lab, token)
    const before_mb = await sizeMb(lab)
    const created = await send(port, token, '127.73.1.1', {
      method: 'POST',
      path: '/maintenance',
      body: windowOf(guids, 0),
    })
    const guid = (JSON.parse(created.text.startsWith('{') ? created.text : '{}') as { guid?: string }).guid ?? ''
    for (let n = 1; n <= EDITS && guid !== ''; n++) {
      await send(port, token, '127.73.1.1', { method: 'PUT', path: `/maintenance/${guid}`, body: windowOf(guids, n) })
    }
    const windows_mb = (await sizeMb(lab)) - before_mb
    const figure = await attackFor(lab, token, { network: '127.73.0', lanes: LANES }, (n) => ({
      method: 'POST',
      path: '/bulk',
      body: answerOf(guids, n),
      headers: { 'Idempotency-Key': `key-${n}` },
    }))
    const grown_mb = (await sizeMb(lab)) - before_mb
    if (created.status !== 201) faults.push(`disk: the window was answered ${created.status} ${created.text}`)
    if (grown_mb > MOST_MB) faults.push(`disk: the database grew by ${grown_mb.toFixed(0)} MB`)
    return [
      `one window with ${NAMES} names and ${EDITS} edits: ${windows_mb.toFixed(1)} MB`,
      `writes with keys: ${figure}`,
      `the database grew by ${grown_mb.toFixed(1)} MB`,
    ]
  },
}

/** Deletes the windows that other stories left, because an organisation can have 100. */
async function deleteWindows({ port }: Lab, token: string): Promise<void> {
  const listed = await send(port, token, '127.73.1.1', { method: 'GET', path: '/maintenance' })
  for (const { guid } of (JSON.parse(listed.text) as { windows: { guid: string }[] }).windows) {
    await send(port, token, '127.73.1.1', { method: 'DELETE', path: `/maintenance/${guid}` })
  }
}

function windowOf(guids: readonly string[], n: number) {
  const checks = Array.from({ length: NAMES }, (_, index) => guids[(index + n) % guids.length])
  const starts_at = new Date(Date.now() + 3_600_000 + n * 60_000).toISOString().slice(0, 16)
  return { name: 'long', scope: { checks }, starts_at, duration_sec: 600, rule: 'FREQ=HOURLY' }
}

/** Changes with a long answer that change nothing after the first time. */
function answerOf(guids: readonly string[], n: number) {
  const name = `${'n'.repeat(90)}${n % 7}`
  const changes = guids.map((id) => ({
    action: 'put',
    kind: 'check',
    id,
    body: { name, url: `https://example.com/${'p'.repeat(1900)}`, interval_sec: 300 },
  }))
  return { changes }
}

async function sizeMb({ deps }: Lab): Promise<number> {
  const text = 'select pg_database_size(current_database())::float8 / 1e6 as mb'
  return (await deps.database.pools.machines.query<{ mb: number }>(text)).rows[0]?.mb ?? 0
}
