// What can be said on the command line of a bench.
import { parseArgs } from 'node:util'

export interface Flags {
  rounds: number
  /** How long one arm runs in one round. */
  seconds: number
  /** Where the servers leave CPU profiles; absent: none are made. */
  profile: string | undefined
}

const USAGE = `npm run bench -- NAME [--rounds N] [--seconds N] [--profile DIRECTORY]
  --rounds   how often each arm is measured (5)
  --seconds  how long one arm runs in one round (2)
  --profile  let the servers write CPU profiles there; the figures are then those of profiled servers
`

/** Reads the flags, or says what there is and ends. */
export function readFlags(): Flags {
  try {
    const { values } = parseArgs({
      options: {
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '2' },
        profile: { type: 'string' },
      },
    })
    return {
      rounds: above0(Math.floor(Number(values.rounds))),
      seconds: above0(Number(values.seconds)),
      profile: values.profile,
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}

function above0(value: number): number {
  if (!(value > 0)) throw new Error('--rounds and --seconds must be above 0')
  return value
}
