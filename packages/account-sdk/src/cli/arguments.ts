// Reads the command from its arguments and its environment, and does nothing else.

import { parseArgs } from 'node:util'

export const USAGE = `usage: dogwatch-account COMMAND [options]

  checks                              list checks
  results --guid GUID [--since TIME]  list results of a check, oldest first
      --follow [--cursor-file FILE]   keep running and print each new result once; FILE stores the position
  monitors, heartbeats, channels, members, settings
  export --out FILE                   write everything as one JSON document; FILE is created only when complete; - is stdout

  --server URL            base URL of the server (default: DOGWATCH_SERVER)
  --token-file FILE       file with the personal access token (default: DOGWATCH_TOKEN)
  --format FORMAT         table (default on a terminal), json (default elsewhere) or ndjson (one line per item)
  --help, --version

Exit codes: 0 success, 1 refused or failed, 2 usage error.
`

export const LISTS = ['checks', 'monitors', 'heartbeats', 'channels', 'members'] as const
export type ListName = (typeof LISTS)[number]
export type Format = (typeof FORMATS)[number]

const FORMATS = ['table', 'json', 'ndjson'] as const

/** Address of the server and the token. */
export interface Access {
  server: string
  token: { text: string } | { file: string }
}

export type Command =
  | { name: 'help' }
  | { name: 'version' }
  | { name: 'settings'; access: Access; format: Format | undefined }
  | { name: ListName; access: Access; format: Format | undefined }
  | { name: 'results'; access: Access; format: Format | undefined; guid: string; since: string | undefined }
  | {
      name: 'follow'
      access: Access
      format: Exclude<Format, 'json'> | undefined
      guid: string
      since: string | undefined
      cursorFile: string | undefined
    }
  | { name: 'export'; access: Access; out: string }

/** Error for a command that was called wrongly. The message says how. */
export class UsageError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the command. @throws UsageError whose message repeats no secret. */
export function readCommand(args: readonly string[], env: Environment): Command {
  if (args.some((arg) => /^--?token(=|$)/.test(arg) || arg.includes('dogwatch_pat_'))) {
    throw new UsageError(
      'a token in the arguments is visible to other users of this machine; set DOGWATCH_TOKEN or use --token-file',
    )
  }
  const { values, positionals } = parsed(args)
  if (values.help) return { name: 'help' }
  if (values.version) return { name: 'version' }
  const [name, ...more] = positionals
  if (name === undefined) throw new UsageError('no command given; see --help')
  if (more.length > 0) throw new UsageError(`${name} accepts no arguments, but got ${JSON.stringify(more[0])}`)
  const allow = (...allowed: string[]) => {
    const wrong = ['guid', 'since', 'follow', 'cursor-file', 'out', 'format'].find(
      (option) => option in values && !allowed.includes(option),
    )
    if (wrong) throw new UsageError(`${name} has no option --${wrong}`)
  }
  if (name === 'export') {
    allow('out')
    if (!values.out) throw new UsageError('export needs --out FILE, or --out - to write to stdout')
    return { name, access: accessIn(values, env), out: values.out }
  }
  const format = formatIn(values.format)
  if (name === 'results') {
    allow('guid', 'since', 'follow', 'cursor-file', 'format')
    const { guid, since, 'cursor-file': cursorFile } = values
    if (!guid) throw new UsageError('results needs --guid GUID')
    if (cursorFile !== undefined && !values.follow) throw new UsageError('--cursor-file requires --follow')
    const access = accessIn(values, env)
    if (!values.follow) return { name, access, format, guid, since }
    if (format === 'json')
      throw new UsageError(
        '--follow does not support --format json, because the output never ends; use --format ndjson',
      )
    return { name: 'follow', access, format, guid, since, cursorFile }
  }
  const list = LISTS.find((one) => one === name)
  if (!list && name !== 'settings') throw new UsageError(`unknown command ${JSON.stringify(name)}; see --help`)
  allow('format')
  const access = accessIn(values, env)
  return list ? { name: list, access, format } : { name: 'settings', access, format }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        server: { type: 'string' },
        'token-file': { type: 'string' },
        format: { type: 'string' },
        guid: { type: 'string' },
        since: { type: 'string' },
        follow: { type: 'boolean' },
        'cursor-file': { type: 'string' },
        out: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function accessIn(values: { server?: string; 'token-file'?: string }, env: Environment): Access {
  const server = values.server ?? env.DOGWATCH_SERVER
  if (!server) throw new UsageError('no server given; set DOGWATCH_SERVER or use --server URL')
  const file = values['token-file']
  if (file) return { server, token: { file } }
  if (!env.DOGWATCH_TOKEN) throw new UsageError('no token given; set DOGWATCH_TOKEN or use --token-file FILE')
  return { server, token: { text: env.DOGWATCH_TOKEN } }
}

function formatIn(text: string | undefined): Format | undefined {
  if (text === undefined) return undefined
  const format = FORMATS.find((one) => one === text)
  if (!format) throw new UsageError(`--format must be one of ${FORMATS.join(', ')}`)
  return format
}
