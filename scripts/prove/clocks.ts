// Proves that no clock is trusted alone: the clocks of a web server, the worker, the database and agents, each in turn at offsets from an hour
// behind to 400 days ahead, jump there and come back under load. No result is lost or deleted, no alert is false, none is missing ten seconds
// after the clocks agree, the history is true, and a wrong clock is visible. The clocks of database and servers also jump together, which
// nothing contradicts: nothing is erased. Uses Debian's libfaketime.
// npm run prove -- clocks [--short] [--only SUBJECT] [--ahead SEC] [--at-once N]
import { setTimeout as pause } from 'node:timers/promises'
import { openFolder, readFlags, runProof, SWITCH, type Undo, undoAll } from '../lab/proof.ts'
import { judge, type Verdict } from './clocks/judge.ts'
import { type Lab, type LabPlan, openLab } from './clocks/lab.ts'
import { makeTemplate } from './clocks/postgres.ts'
import { play, type Scenario, type Subject } from './clocks/scenario.ts'
import { playTogether, type Together } from './clocks/together.ts'
import { findLibrary } from './clocks/wrong-clock.ts'

const flags = readFlags({
  short: SWITCH,
  only: { type: 'string' },
  ahead: { type: 'string' },
  'at-once': { type: 'string', default: '2' },
})
const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const OFFSETS = [-HOUR, -20, 10, HOUR, 3 * DAY, 400 * DAY]
const AT_ONCE = Math.max(1, Number(flags['at-once']))
/** Duration of a wrong clock. Agents ask for the time every half minute. */
const HOLD_MS = flags.short ? { database: 40_000, other: 18_000 } : { database: 75_000, other: 30_000 }
const FINISH_MS = 15_000
const SCENARIO_LIMIT_MS = 240_000

type Play = { name: string; subject: string; ahead_sec: number; run: (lab: Lab) => Promise<Verdict> }

const library = findLibrary()
if (library === undefined) {
  process.stdout.write('clocks: FELL SHORT: libfaketime is missing: apt-get update && apt-get install -y faketime\n')
  process.exit(1)
}
const plays = [...matrixTogether(), ...(flags.short ? shortMatrix() : wholeMatrix())].filter(
  ({ subject, ahead_sec }) =>
    (flags.only === undefined || subject === flags.only) &&
    (flags.ahead === undefined || ahead_sec === Number(flags.ahead)),
)
if (plays.length === 0) {
  process.stdout.write('clocks: FELL SHORT: no scenario is of that subject and offset\n')
  process.exit(2)
}

await runProof('clocks', 60_000 + Math.ceil(plays.length / AT_ONCE) * SCENARIO_LIMIT_MS, async (undo) => {
  const folder = await openFolder(undo)
  const template = await makeTemplate(folder)
  const waiting = [...plays]
  undo(() => waiting.splice(0))
  const faults: string[] = []
  let held = 0
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const own = await playOne(next, { folder, library, template }, undo)
      if (own.length === 0) held += 1
      faults.push(...own)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { figures: `${held} of ${plays.length} scenarios held`, faults }
})

/** Plays a scenario and prints its line. Returns its faults. */
async function playOne({ name, run }: Play, plan: LabPlan, undo: Undo): Promise<string[]> {
  const steps: (() => unknown)[] = []
  undo(() => undoAll(steps))
  const verdict = await openLab(plan, (step) => void steps.push(step))
    .then(run)
    .catch((error: unknown): Verdict => ({ figures: [], faults: [String(error)] }))
  const { figures, faults } = verdict
  const lines = [`${name}: ${faults.length === 0 ? 'held' : 'NOT HELD'}: ${figures.join('; ')}`, ...faults]
  process.stdout.write(lines.map((line, n) => `clocks: ${n > 0 ? '    ' : ''}${line}\n`).join(''))
  await undoAll(steps)
  return faults.map((fault) => `${name}: ${fault}`)
}

async function playAlone(lab: Lab, scenario: Scenario): Promise<Verdict> {
  const played = await play(lab, scenario)
  await Promise.all(lab.agents.map(({ running }) => running.stop()))
  await Promise.race([lab.sdk.agent.finish(), pause(FINISH_MS)])
  return judge(lab, played)
}

function scenarioOf(subject: Subject, ahead_sec: number, way: Scenario['way'] = 'jumped'): Play {
  const scenario = { subject, ahead_sec, way, hold_ms: subject === 'database' ? HOLD_MS.database : HOLD_MS.other }
  const began = way === 'begun' ? ' begun' : ''
  const name = `${subject}${began} at ${ahead_sec < 0 ? '-' : '+'}${lengthOf(ahead_sec)}`
  return { name, subject, ahead_sec, run: (lab) => playAlone(lab, scenario) }
}

function wholeMatrix(): Play[] {
  const subjects = ['web', 'worker', 'database', 'agents'] as const
  return [
    scenarioOf('nothing', 0),
    ...subjects.flatMap((subject) => OFFSETS.map((ahead_sec) => scenarioOf(subject, ahead_sec))),
    ...subjects.flatMap((subject) => [-HOUR, 2 * HOUR].map((ahead_sec) => scenarioOf(subject, ahead_sec, 'begun'))),
    ...[-5 * MINUTE, 5 * MINUTE].map((ahead_sec) => scenarioOf('one of two webs', ahead_sec)),
  ]
}

function shortMatrix(): Play[] {
  return [
    scenarioOf('database', HOUR),
    scenarioOf('worker', 400 * DAY),
    scenarioOf('web', -20),
    scenarioOf('agents', -HOUR),
    scenarioOf('agents', 2 * HOUR, 'begun'),
    scenarioOf('one of two webs', 5 * MINUTE),
  ]
}

/** Returns the longest scenarios first, so that no other one waits for them at the end. */
function matrixTogether(): Play[] {
  const all: Together[] = [
    { ahead_sec: 404 * DAY, hold_ms: flags.short ? 60_000 : 240_000 },
    { ahead_sec: 1200 * DAY, hold_ms: 30_000 },
    { ahead_sec: 2 * HOUR, hold_ms: 15_000 },
  ]
  return all.map((scenario) => ({
    name: `database and servers at +${lengthOf(scenario.ahead_sec)}, ${scenario.hold_ms / 1000} s`,
    ...{ subject: 'together', ahead_sec: scenario.ahead_sec, run: (lab) => playTogether(lab, scenario) },
  }))
}

function lengthOf(ahead_sec: number): string {
  const size = Math.abs(ahead_sec)
  const units = [[DAY, 'd'] as const, [HOUR, 'h'] as const, [MINUTE, 'min'] as const]
  const [unit, letter] = units.find(([of]) => size % of === 0) ?? [1, 's']
  return `${size / unit} ${letter}`
}
