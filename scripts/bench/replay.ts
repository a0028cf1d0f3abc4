// Counts the alerts that the invented history of the demo causes, by several sets of rules, as `dogwatch check replay` counts them.
import { replayOrganisation } from '../../packages/server/dist/domain/checks/replay.js'
import { fill } from '../demo/fill.ts'
import { HISTORY_INTERVAL_SEC } from '../demo/story.ts'
import { depsOf } from '../lab/archive.ts'
import { onStage, say } from '../lab/stage.ts'

const DAY_MS = 86_400_000
const SPANS = [30, 90]
const FIRST_FAILURE = { down_interval_sec: 1, down_majority: false, down_places: 0, up_successes: 0 }
const RULES: readonly (readonly [string, object])[] = [
  [
    'down at the first failure from any monitor; every change is alerted',
    { ...FIRST_FAILURE, alert_every_change: true },
  ],
  ['the same; a flapping check is alerted once', { ...FIRST_FAILURE, alert_every_change: false }],
  [
    'defaults: down if a majority of the monitors fails; flapping is alerted once',
    { ...FIRST_FAILURE, down_majority: true, alert_every_change: false },
  ],
]

await onStage(async (stage) => {
  const deps = depsOf(stage)
  const ports = { http: 80, tls: 443, tcp: 25 }
  say('writing the history')
  const { org_id } = await fill(deps, { ports, inbox_url: 'http://127.0.0.1/', keep: async () => {} })
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
