// Reads the path of a ping: /ping/{token}, followed by the report of the job.
import type { Ping } from '@dogwatch/domain/heartbeats/heartbeat'

const SHAPE = /^\/([^/]+)(?:\/(.*))?$/s
const EXIT_CODE = /^(?:0|[1-9]\d{0,2})$/
const MAX_EXIT_CODE = 255

export interface PingPath {
  /** Token of the heartbeat. Undefined if the path has none. */
  token: string | undefined
  /** Report of the job. Undefined if the part of the path after the token is invalid. */
  outcome: Pick<Ping, 'kind' | 'exit_code'> | undefined
}

/** Reads the path of a ping. `path` begins after the prefix of all pings and has no query. */
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
