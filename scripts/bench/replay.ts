// How many alerts the invented history of the demo makes by old defaults and by new ones, over the thirty days that its story tells of and over all
// ninety: what `dogwatch check replay` counts.
import { replayOrganisation } from '../../packages/server/dist/domain/checks/replay.js'
import type { Deps } from '../../packages/server/dist/domain/deps.js'
import { systemClock } from '../../packages/server/dist/runtime/clock.js'
import { createLog } from '../../packages/server/dist/runtime/log.js'
import { systemRandom } from '../../packages/server/dist/runtime/random.js'
import { fill } from '../demo/fill.ts'
import { HISTORY_INTERVAL_SEC } from '../demo/story.ts'
import { onStage, say } from '../lab/stage.ts'

const DAY_MS = 86_400_000
const DAYS = 90
const SPANS = [30, DAYS]
const FIRST_FAILURE = { down_interval_sec: 1, down_majority: false, down_places: 0, up_successes: 0 }
const RULES: readonly (readonly [string, object])[] = [
  [
    'old defaults: down at the first failure from any monitor, every change told',
    { ...FIRST_FAILURE, alert_every_change: true },
  ],
  ['the same, flapping told once', { ...FIRST_FAILURE, alert_every_change: false }],
  [
    'new defaults: a majority of the monitors, flapping told once',
    { ...FIRST_FAILURE, down_majority: true, alert_every_change: false },
  ],
]

await onStage(async ({ database }) => {
  const deps: Deps = { database, clock: systemClock, random: systemRandom, log: createLog('warn') }
  const ports = { http: 80, tls: 443, tcp: 25 }
  say(`writing ${DAYS} days`)
  const { org_id } = await fill(deps, { ports, inbox_url: 'http://127.0.0.1/', keep: async () => {}, days: DAYS })
  const now = deps.clock.now().getTime()
  for (const days of SPANS) {
    const from = new Date(now - days * DAY_MS).toISOString()
    for (const [name, fields] of RULES) {
      const rules = { ...fields, interval_sec: HISTORY_INTERVAL_SEC }
      const { given, results, checks } = await replayOrganisation(deps, org_id, { from }, rules)
      process.stdout.write(`\n${days} days, ${results} results; ${name}: ${given.told} alerts\n`)
      for (const one of checks) process.stdout.write(`  ${one.name.padEnd(42)} ${one.given}\n`)
    }
  }
})
