// The kit's own command line.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CASES } from './cases.ts'
import { PLACEHOLDERS, wordsOfTemplate } from './command-line.ts'

export interface Options {
  words: string[]
  cases: string[]
  jobs: number
  patience_ms: number
  restoring_ms: number
  isList: boolean
  isJson: boolean
  isHelp: boolean
}

/** As a server takes that begins on an empty database until its backup is back. */
const RESTORING_MS = 150_000

/** What is wrong with a command line, a line each. */
export class UsageFault extends Error {}

const OUR_AGENT = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** How our agent is started, built or bundled; with the flags that its launcher gives Node, it need not restart itself. */
export const templateOf = (program: string, flags: readonly string[] = []): string =>
  [
    ...[`'${process.execPath}'`, ...flags],
    `'${program}' --server {server} --state-dir {state_dir} --name {name}`,
    '--region conformance --country XX --city loopback --definitions {definitions} --connectivity off',
  ].join(' ')

export const USAGE = `dogwatch-conformance [--agent COMMAND] [--case NAME]... [--quick] [--json] [--list]

  --agent COMMAND   the command line that starts the agent (default: the agent of this package); its placeholders are
                    ${PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}; the token is in DOGWATCH_ENROLLMENT_TOKEN
  --case NAME       run this case; may be repeated (default: all)
  --quick           leave out the cases that an agent may take minutes for
  --patience SEC    how long what an agent does at its own pace may take (default: 90)
  --jobs N          how many cases run side by side (default: 12)
  --json            one JSON document on standard output
  --list            only say which cases there are

Ends with 0 when no case failed, with 1 when one did, with 2 when the command line cannot be right.
`

export function readOptions(args: readonly string[]): Options {
  const { values } = parsed(args)
  const unknown = (values.case ?? []).filter((name) => !CASES.some((one) => one.name === name))
  if (unknown.length > 0)
    throw new UsageFault(`--case: there is no case ${unknown.join(', ')}; --list says which there are`)
  const chosen = CASES.filter(({ name, isSlow = false }) => {
    return values.case ? values.case.includes(name) : !(isSlow && values.quick)
  })
  return {
    words: template(values.agent ?? templateOf(OUR_AGENT)),
    cases: chosen.map(({ name }) => name),
    jobs: whole('jobs', values.jobs ?? '12'),
    patience_ms: whole('patience', values.patience ?? '90') * 1000,
    restoring_ms: RESTORING_MS,
    isList: values.list ?? false,
    isJson: values.json ?? false,
    isHelp: values.help ?? false,
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        agent: { type: 'string' },
        case: { type: 'string', multiple: true },
        quick: { type: 'boolean' },
        patience: { type: 'string' },
        jobs: { type: 'string' },
        json: { type: 'boolean' },
        list: { type: 'boolean' },
        help: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageFault(error instanceof Error ? error.message : String(error))
  }
}

function template(text: string): string[] {
  try {
    return wordsOfTemplate(text)
  } catch (error) {
    throw new UsageFault(`--agent: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function whole(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageFault(`--${name} must be a whole number above 0`)
  return Number(text)
}
