// What the path of a ping says: /ping/{token}, with what the job has to tell behind it.
import type { Ping } from '../../domain/heartbeats/heartbeat.ts'

const SHAPE = /^\/([^/]+)(?:\/(.*))?$/s
const EXIT_CODE = /^(?:0|[1-9]\d{0,2})$/
const MAX_EXIT_CODE = 255

export interface PingPath {
  /** Undefined: there is none. */
  token: string | undefined
  /** Undefined: what stands behind the token means nothing. */
  outcome: Pick<Ping, 'kind' | 'exit_code'> | undefined
}

/** `path`: without the prefix of all pings and without the query. */
export function readPingPath(path: string): PingPath {
  const [, token, suffix = ''] = SHAPE.exec(path) ?? []
  return { token, outcome: readSuffix(suffix) }
}

function readSuffix(suffix: string): PingPath['outcome'] {
  if (suffix === '') return { kind: 'beat', exit_code: null }
  if (suffix === 'start' || suffix === 'fail' || suffix === 'log') return { kind: suffix, exit_code: null }
  if (!EXIT_CODE.test(suffix) || Number(suffix) > MAX_EXIT_CODE) return undefined
  return suffix === '0' ? { kind: 'beat', exit_code: null } : { kind: 'exit_code', exit_code: Number(suffix) }
}
