// Reads the command line flags of benches.
import { parseArgs } from 'node:util'

export interface Flags {
  rounds: number
  /** Duration of each arm in each round, in seconds. */
  seconds: number
  /** Folder for CPU profiles of the servers. Absent if they write none. */
  profile: string | undefined
  /** Number of results to load, in benches that let the user choose it. */
  rows: number | undefined
  /** Number of checks that the bench `capacity` holds. */
  checks: number | undefined
  minutes: number | undefined
  /** Whether the bench `capacity` is only a short trial. */
  short: boolean
  /** URL of a database of a Citus cluster that knows its nodes. */
  coordinator: string | undefined
  /** URL of a plain Postgres database to compare with the cluster. */
  plain: string | undefined
}

const USAGE = `npm run bench -- NAME [--rounds N] [--seconds N] [--profile DIRECTORY] [--rows N] [--checks N] [--minutes N] [--short]
  --rounds   how often each arm is measured (5)
  --seconds  how long one arm runs in one round (2)
  --profile  let the servers write CPU profiles there; the figures are then those of profiled servers
  --rows     citus, read, export, year: how many results are loaded; fewer make a quick run that shows less. disk: how many checks
  --checks   capacity: how many checks are held, in place of the number that is found
  --minutes  capacity: for how long
  --short    capacity: a try that takes less time and shows less
  --coordinator, --plain
             citus: urls of a database of a cluster that knows its nodes, and of a Postgres of the same version without Citus
`

/** Reads the flags, or prints the usage and exits. */
export function readFlags(args: readonly string[] = process.argv.slice(2)): Flags {
  try {
    const text = { type: 'string' } as const
    const { values } = parseArgs({
      args: [...args],
      options: {
        ...{ rounds: { ...text, default: '5' }, seconds: { ...text, default: '2' }, rows: text, checks: text },
        ...{ minutes: text, profile: text, coordinator: text, plain: text },
        short: { type: 'boolean', default: false },
      },
    })
    const number = (name: 'rounds' | 'seconds' | 'rows' | 'checks' | 'minutes'): number | undefined => {
      const value = values[name] === undefined ? undefined : Number(values[name])
      if (value !== undefined && !(value > 0)) throw new Error(`--${name} must be greater than 0`)
      return value
    }
    const { profile, coordinator, plain, short } = values
    return {
      ...{ rounds: number('rounds') ?? 0, seconds: number('seconds') ?? 0, rows: number('rows') },
      ...{ checks: number('checks'), minutes: number('minutes'), profile, coordinator, plain, short },
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}

/** Flags for callers that are not benches. */
export const NO_FLAGS: Flags = readFlags([])
