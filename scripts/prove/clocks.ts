// Proves that no clock is trusted alone: the clocks of a web server, the worker, the database and agents, each in turn at offsets from an hour
// behind to 400 days ahead, jump there and come back under load. No result is lost or deleted, no alert is false, none is missing ten seconds
// after the clocks agree, the history is true, and a wrong clock is visible. The clocks of database and servers also jump together, which
// nothing contradicts: nothing is erased. Uses Debian's libfaketime and Postgres.
// npm run prove -- clocks [--short] [--only NAME] [--at-once N]    --only: the scenarios whose name contains this
import { type Outcome, readFlags, runProof, SWITCH, textsIn, undoAll } from '../lab/proof.ts'
import { openLab } from './clocks/lab.ts'
import { play, type Scenario, type Subject } from './clocks/scenario.ts'

const flags = readFlags({
  short: SWITCH,
  only: { type: 'string', default: '' },
  'at-once': { type: 'string', default: '4' },
})
const [HOUR, DAY] = [3600, 86_400]
const OFFSETS = [-HOUR, -20, 10, HOUR, 3 * DAY, 400 * DAY]
const AT_ONCE = Number(flags['at-once'])
/** Time until a wrong clock becomes right again, in milliseconds. Agents learn the server time every half minute. */
const HOLD_MS = flags.short ? { database: 40_000, other: 18_000 } : { database: 75_000, other: 30_000 }
const SCENARIO_LIMIT_MS = 240_000

interface Scene {
  name: string
  scenario: Scenario
}

// Begins with the longest scenarios, so that no long one runs alone at the end.
const waiting: Scene[] = [
  sceneOf('database and servers', 404 * DAY, { hold_ms: flags.short ? 60_000 : 240_000 }),
  sceneOf('database and servers', 1200 * DAY),
  sceneOf('database and servers', 2 * HOUR, { hold_ms: 15_000 }),
  ...(flags.short ? some() : all()),
].filter(({ name }) => name.includes(flags.only))
const count = waiting.length

await runProof('clocks', 60_000 + Math.ceil(count / AT_ONCE) * SCENARIO_LIMIT_MS, async (undo) => {
  undo(() => waiting.splice(0))
  const faults: string[] = []
  let held = 0
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { name, scenario } = next
      const steps: (() => unknown)[] = []
      undo(() => undoAll(steps))
      const failed = (error: unknown): Outcome => ({ figures: [], faults: [String(error)] })
      const verdict = await openLab((step) => void steps.push(step))
        .then((lab) => play(lab, scenario))
        .catch(failed)
      const [own, figures] = [textsIn(verdict.faults), textsIn(verdict.figures)]
      process.stdout.write(`clocks: ${name}: ${own.length === 0 ? 'held' : 'NOT HELD'}: ${figures.join('; ')}\n`)
      if (own.length === 0) held += 1
      faults.push(...own.map((fault) => `${name}: ${fault}`))
      await undoAll(steps)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return {
    figures: `${held} of ${count} scenarios held`,
    faults: [...faults, count === 0 && 'no scenario has that name'],
  }
})

function sceneOf(subject: Subject, ahead_sec: number, more: Partial<Scenario> = {}): Scene {
  const hold_ms = subject === 'database' ? HOLD_MS.database : HOLD_MS.other
  const scenario = { subject, ahead_sec, hold_ms, isBegun: false, ...more }
  return { name: `${subject}${scenario.isBegun ? ' begun' : ''} at ${offsetOf(ahead_sec)}`, scenario }
}

function all(): Scene[] {
  const subjects = ['web', 'worker', 'database', 'agents'] as const
  return [
    sceneOf('nothing', 0),
    ...subjects.flatMap((subject) => OFFSETS.map((ahead_sec) => sceneOf(subject, ahead_sec))),
    ...subjects.flatMap((subject) =>
      [-HOUR, 2 * HOUR].map((ahead_sec) => sceneOf(subject, ahead_sec, { isBegun: true })),
    ),
  ]
}

function some(): Scene[] {
  return [
    sceneOf('database', HOUR),
    sceneOf('worker', 400 * DAY),
    sceneOf('web', -20),
    sceneOf('agents', -HOUR),
    sceneOf('agents', 2 * HOUR, { isBegun: true }),
  ]
}

function offsetOf(ahead_sec: number): string {
  const size = Math.abs(ahead_sec)
  const units = [[DAY, 'd'] as const, [HOUR, 'h'] as const]
  const [unit, letter] = units.find(([of]) => size % of === 0) ?? [1, 's']
  return `${ahead_sec < 0 ? '-' : '+'}${size / unit} ${letter}`
}
