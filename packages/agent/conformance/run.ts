// Runs cases side by side, each in a world of its own.
import { Breach, Skip } from './breach.ts'
import type { Case } from './case.ts'
import { World, type WorldOptions } from './world.ts'

export interface Outcome {
  name: string
  outcome: 'ok' | 'FAIL' | 'skipped'
  fact: string
  seconds: number
  expected?: string
  seen?: string
  /** Why it was skipped. */
  why?: string
  /** The last lines that the agent wrote. */
  agent?: string[]
}

/** What a case does to the server's clocks. */
type Bent = 'ahead_ms' | 'cursor_ahead_ms'

export type RunOptions = Omit<WorldOptions, Bent> & { jobs: number; onOutcome: (outcome: Outcome) => void }

const LAST_LINES = 5

/** Resolves with the outcomes in the order of the cases. */
export async function runCases(
  cases: readonly Case[],
  { jobs, onOutcome, ...options }: RunOptions,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  // What takes longest begins first.
  const waiting = [...cases].sort((a, b) => Number(b.isSlow ?? false) - Number(a.isSlow ?? false))
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const outcome = await runCase(next, options)
      outcomes.push(outcome)
      onOutcome(outcome)
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return cases.flatMap(({ name }) => outcomes.filter((outcome) => outcome.name === name))
}

async function runCase(one: Case, options: Omit<WorldOptions, Bent>): Promise<Outcome> {
  const { name, fact, ahead_ms = 0, cursor_ahead_ms = 0 } = one
  const began = Date.now()
  const world = new World(name, { ...options, ahead_ms, cursor_ahead_ms })
  const told = (facts: Pick<Outcome, 'outcome' | 'expected' | 'seen' | 'why'>): Outcome => {
    const failed = facts.outcome === 'FAIL' ? { agent: lastLines(world) } : {}
    return { name, fact, seconds: (Date.now() - began) / 1000, ...facts, ...failed }
  }
  try {
    await world.open()
    await one.run(world)
    return told(verdictOn(world))
  } catch (error) {
    if (error instanceof Skip) return told({ outcome: 'skipped', why: error.message })
    if (!(error instanceof Breach)) return told({ outcome: 'FAIL', expected: 'a case that runs', seen: String(error) })
    // A request that breaks the document says more than what came of it.
    const faults = verdictOn(world)
    const { expected, seen } = error
    return told(faults.outcome === 'FAIL' ? faults : { outcome: 'FAIL', expected, seen })
  } finally {
    await world.close()
  }
}

function verdictOn({ server: { faults } }: World): Pick<Outcome, 'outcome' | 'expected' | 'seen'> {
  if (faults.size === 0) return { outcome: 'ok' }
  const seen = [...faults].slice(0, 5).join('; ')
  return { outcome: 'FAIL', expected: 'requests as openapi/monitor.yaml and the limits of the server have them', seen }
}

function lastLines({ agents }: World): string[] {
  return (agents.at(-1)?.output ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LAST_LINES)
}
