// Proves that no clock is trusted alone: web server, worker, database and agents, each in turn at offsets from an hour behind to
// 400 days ahead, jumping there and coming back under load. No result is lost or deleted, no alert is false, none is missing ten
// seconds after the clocks agree, the history is true, and what is wrong can be seen. Clocks are made wrong by Debian's
// libfaketime, each process' by itself. Those of database and servers also jump together, which nothing contradicts: nothing is erased then,
// and what was derived from them comes back with them.
// npm run prove -- clocks [--short] [--only SUBJECT] [--ahead SEC] [--at-once N]
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readFlags } from '../lab/proof-flags.ts'
import { type Outcome, runProof, type World } from '../lab/world.ts'
import { judge, type Verdict } from './clocks/judge.ts'
import { type Lab, openLab } from './clocks/lab.ts'
import { makeTemplate, type Template } from './clocks/postgres.ts'
import { play, type Scenario, type Subject } from './clocks/scenario.ts'
import { playTogether, type Together } from './clocks/together.ts'
import { findLibrary, type Library } from './clocks/wrong-clock.ts'

const flags = readFlags({
  short: { type: 'boolean', default: false },
  only: { type: 'string' },
  ahead: { type: 'string' },
  'at-once': { type: 'string', default: '2' },
})
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const OFFSETS = [-HOUR, -20, 10, HOUR, 3 * DAY, 400 * DAY]
const AT_ONCE = Math.max(1, Number(flags['at-once']))
/** How long clocks are wrong. Agents ask the time every half a minute, and are to have heard it while the database's is. */
const HOLD_MS = flags.short ? { database: 40_000, other: 18_000 } : { database: 75_000, other: 30_000 }
const FINISH_MS = 15_000
const SCENARIO_LIMIT_MS = 240_000
const TOGETHER: readonly Together[] = [
  { ahead_sec: 2 * HOUR, hold_ms: 15_000 },
  { ahead_sec: 1200 * DAY, hold_ms: 30_000 },
  { ahead_sec: 404 * DAY, hold_ms: flags.short ? 60_000 : 240_000 },
]

const library = findLibrary()
if (library === undefined) {
  process.stdout.write(
    'clocks: FELL SHORT: libfaketime is missing; install it with: apt-get update && apt-get install -y faketime\n',
  )
  process.exit(1)
}
const isWanted = (subject: string, { ahead_sec }: { ahead_sec: number }): boolean =>
  (flags.only === undefined || subject === flags.only) &&
  (flags.ahead === undefined || ahead_sec === Number(flags.ahead))
const scenarios: (Scenario | Together)[] = [
  // The longest comes first, so that nothing waits for it alone at the end.
  ...TOGETHER.toReversed().filter((scenario) => isWanted('together', scenario)),
  ...(flags.short ? shortMatrix() : wholeMatrix()).filter((scenario) => isWanted(scenario.subject, scenario)),
]
if (scenarios.length === 0) {
  process.stdout.write('clocks: FELL SHORT: no scenario is of that subject and offset\n')
  process.exit(2)
}

await runProof('clocks', 60_000 + Math.ceil(scenarios.length / AT_ONCE) * SCENARIO_LIMIT_MS, (undo) =>
  prove(library, undo),
)

async function prove(library: Library, undo: World['undo']): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-clocks-proof-'))
  undo(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  // Root's Postgres runs as another user, who must be able to enter here.
  await chmod(folder, 0o711)
  const begun = performance.now()
  const template = await makeTemplate(folder)
  const waiting = [...scenarios]
  undo(async () => void waiting.splice(0))
  const faults: string[] = []
  let held = 0
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      const own = await proveOne(scenario, { folder, library, template }, undo)
      if (own.length === 0) held += 1
      faults.push(...own)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1)
  return { figures: `${held} of ${scenarios.length} scenarios held, in ${minutes} min`, faults }
}

/** Prints its line, and returns what fell short. */
async function proveOne(
  scenario: Scenario | Together,
  given: { folder: string; library: Library; template: Template },
  undo: World['undo'],
): Promise<string[]> {
  const steps: (() => Promise<unknown>)[] = []
  const end = async (): Promise<void> => {
    for (let step = steps.pop(); step; step = steps.pop()) await step().catch((error: unknown) => console.error(error))
  }
  undo(end)
  const name = nameOf(scenario)
  try {
    const lab = await openLab(given, (step) => void steps.push(step))
    const { figures, faults } = 'subject' in scenario ? await tell(lab, scenario) : await playTogether(lab, scenario)
    say(`${name}: ${faults.length === 0 ? 'held' : 'NOT HELD'}: ${figures.join('; ')}`)
    for (const fault of faults) say(`    ${fault}`)
    return faults.map((fault) => `${name}: ${fault}`)
  } catch (error) {
    const fault = error instanceof Error ? error.message : String(error)
    say(`${name}: NOT HELD: ${fault}`)
    return [`${name}: ${fault}`]
  } finally {
    await end()
  }
}

async function tell(lab: Lab, scenario: Scenario): Promise<Verdict> {
  const played = await play(lab, scenario)
  await Promise.all(lab.agents.map(({ running }) => running.stop()))
  // What it does not get rid of by then is told.
  await Promise.race([lab.sdk.agent.finish(), pause(FINISH_MS)])
  return judge(lab, played)
}

function say(line: string): void {
  process.stdout.write(`clocks: ${line}\n`)
}

function wholeMatrix(): Scenario[] {
  const jumps = (['web', 'worker', 'database', 'agents'] as const).flatMap((subject) =>
    OFFSETS.map((ahead_sec) => scenarioOf(subject, ahead_sec)),
  )
  const begun = (['web', 'worker', 'database', 'agents'] as const).flatMap((subject) =>
    [-HOUR, 2 * HOUR].map((ahead_sec) => scenarioOf(subject, ahead_sec, 'begun')),
  )
  return [scenarioOf('nothing', 0), ...jumps, ...begun, ...skewedPair()]
}

function shortMatrix(): Scenario[] {
  return [
    scenarioOf('database', HOUR),
    scenarioOf('worker', 400 * DAY),
    scenarioOf('web', -20),
    scenarioOf('agents', -HOUR),
    scenarioOf('agents', 2 * HOUR, 'begun'),
    scenarioOf('one of two webs', 5 * MINUTE),
  ]
}

function skewedPair(): Scenario[] {
  return [-5 * MINUTE, 5 * MINUTE].map((ahead_sec) => scenarioOf('one of two webs', ahead_sec))
}

function scenarioOf(subject: Subject, ahead_sec: number, way: Scenario['way'] = 'jumped'): Scenario {
  return { subject, ahead_sec, way, hold_ms: subject === 'database' ? HOLD_MS.database : HOLD_MS.other }
}

/** `worker at +400 d`. */
function nameOf(scenario: Scenario | Together): string {
  if (!('subject' in scenario))
    return `database and servers at +${lengthOf(scenario.ahead_sec)}, ${scenario.hold_ms / 1000} s`
  const { subject, ahead_sec, way } = scenario
  if (subject === 'nothing') return 'all clocks right'
  return `${subject}${way === 'begun' ? ' begun' : ''} at ${ahead_sec < 0 ? '-' : '+'}${lengthOf(ahead_sec)}`
}

function lengthOf(ahead_sec: number): string {
  const size = Math.abs(ahead_sec)
  const [unit, letter] = [[DAY, 'd'] as const, [HOUR, 'h'] as const, [MINUTE, 'min'] as const].find(
    ([of]) => size % of === 0,
  ) ?? [1, 's']
  return `${size / unit} ${letter}`
}
