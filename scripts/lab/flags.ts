// The command line flags of benches.
import { parseArgs } from 'node:util'

export interface Flags {
  rounds: number
  /** How long one arm runs in one round. */
  seconds: number
  /** Folder for CPU profiles of the servers. Absent if they write none. */
  profile: string | undefined
  /** How many results to load, where that can be chosen. */
  rows: number | undefined
  /** Number of checks of `capacity`. */
  checks: number | undefined
  minutes: number | undefined
  /** Less of everything in `capacity`, for a trial run. */
  short: boolean
  /** A database of a Citus cluster that knows its nodes. */
  coordinator: string | undefined
  /** A plain Postgres to compare that with. */
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
export function readFlags(): Flags {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '2' },
        profile: { type: 'string' },
        rows: { type: 'string' },
        checks: { type: 'string' },
        minutes: { type: 'string' },
        short: { type: 'boolean', default: false },
        coordinator: { type: 'string' },
        plain: { type: 'string' },
      },
    })
    return {
      rounds: above0('rounds', Math.floor(Number(values.rounds))),
      seconds: above0('seconds', Number(values.seconds)),
      profile: values.profile,
      rows: wholeIf('rows', values.rows),
      checks: wholeIf('checks', values.checks),
      minutes: wholeIf('minutes', values.minutes),
      short: values.short,
      coordinator: values.coordinator,
      plain: values.plain,
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}

function wholeIf(flag: string, value: string | undefined): number | undefined {
  return value === undefined ? undefined : above0(flag, Math.floor(Number(value)))
}

function above0(flag: string, value: number): number {
  if (!(value > 0)) throw new Error(`--${flag} must be greater than 0`)
  return value
}

/** Flags of callers other than benches. */
export const NO_FLAGS: Flags = {
  ...{ rounds: 1, seconds: 1, short: false, profile: undefined, rows: undefined, checks: undefined },
  ...{ minutes: undefined, coordinator: undefined, plain: undefined },
}
