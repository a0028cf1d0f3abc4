// Imports by a member of a free organisation, full of patterns that are large once they are compiled.
import { setTimeout as pause } from 'node:timers/promises'
import { openSession } from '../../../packages/server/dist/domain/people/sessions.js'
import { formPost, readForm } from './bytes.ts'
import { crowd, told } from './crowd.ts'
import type { Story } from './lab.ts'

const CONNECTIONS = 8
/** As many as the plan allows. */
const CHECKS = 10
const PATTERNS: Readonly<Record<string, string>> = {
  'patterns far too large': `${'('.repeat(20)}a*${')*'.repeat(20)}{1000}`,
  'patterns as large as they may be': 'x{0,1000}',
}

export const patterns: Story = {
  name: 'patterns',
  run: async ({ port, seconds, deps, attacker }) => {
    const session = await openSession(deps, attacker.person_id, attacker.org_id)
    const { csrf, cookie } = await readForm(port, '/checks/import', `dogwatch-session=${session}`)
    const figures: string[] = []
    let address = 0
    for (const [way, pattern] of Object.entries(PATTERNS)) {
      const body = new URLSearchParams({ csrf, who: 'keep', file: JSON.stringify(fileOf(pattern)) }).toString()
      const bytes = formPost({ path: '/checks/import', cookie, body })
      const attack = crowd({ port, address: `127.66.4.${++address}`, connections: CONNECTIONS, say: () => bytes })
      await pause((seconds * 1000) / Object.keys(PATTERNS).length)
      attack.stop()
      figures.push(`${way}: answered ${told(attack.statuses)}`)
    }
    return figures
  },
}

function fileOf(pattern: string): object[] {
  return Array.from({ length: CHECKS }, (_, n) => ({
    name: `check ${n}`,
    url: 'https://example.com/',
    interval_sec: 300,
    match_string: pattern,
    match_mode: 'regex',
  }))
}
