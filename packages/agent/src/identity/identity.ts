// Stores the agent's identity on disk, enrolls the agent once, and reclaims its monitor after a reset.
import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ApiError, type EnrollRequest, type EnrollResponse } from '@dogwatch/monitor-sdk'
import { z } from 'zod'
import { abilitiesHere } from '../process/abilities.ts'
import { codeOf, EXIT_HOPELESS, Fatal, wordsOf } from '../process/fatal.ts'
import { replaceFile, testWritable } from '../process/state-dir.ts'
import { foreignAnswerOf } from '../sync/answers.ts'

const IDENTITY = z.object({
  base_url: z.string(),
  monitor_id: z.string().min(1),
  api_key: z.string().min(1),
  /**
   * Class that the server sent last. An agent of class `shared` connects to public addresses only. Absent until the server has
   * sent one.
   */
  class: z.string().optional(),
})
export type Identity = z.infer<typeof IDENTITY>

export interface EnrollOptions {
  state_dir: string
  base_url: string
  place: Omit<EnrollRequest, 'id' | 'abilities'>
  /** Returns the token, or undefined if none is configured. Called each time, because the token may have been replaced. */
  token: () => Promise<string | undefined>
  enroll: (request: EnrollRequest, token: string) => Promise<EnrollResponse>
}

export const identityPath = (state_dir: string): string => join(state_dir, 'identity.json')

/**
 * Reads the stored identity, or returns undefined if there is none yet. With `isMoved`, the operator asserts that `base_url` is
 * the same server at another address.
 */
export async function loadIdentity(
  state_dir: string,
  base_url: string,
  { isMoved = false }: { isMoved?: boolean } = {},
): Promise<Identity | undefined> {
  const path = identityPath(state_dir)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw hopeless(`cannot read ${path}: ${wordsOf(error)}`)
  })
  if (text === undefined) return undefined
  const identity = parseIdentity(text)
  if (!identity)
    throw hopeless(
      `${path} is not a valid identity file; restore the file, or reset the monitor on the server and delete the file`,
    )
  if (identity.base_url !== base_url && !isMoved) {
    throw hopeless(
      `${path} belongs to ${identity.base_url}, not to ${base_url}; use a separate state directory for each server`,
    )
  }
  await chmod(path, 0o600)
  return { ...identity, base_url }
}

function parseIdentity(text: string): Identity | undefined {
  try {
    return IDENTITY.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/**
 * Enrolls this agent as a new monitor or, with `id`, as the monitor with this id, which was reset. Tests the disk first, because
 * the server sends the key only once. @throws Fatal if a retry cannot help, otherwise the client's error.
 */
export async function enroll(options: EnrollOptions, id?: string): Promise<Identity> {
  const token = await options.token()
  if (token === undefined) throw hopeless(withoutToken(id))
  await testWritable(options.state_dir).catch((error: unknown) => {
    throw hopeless(`cannot write to the state directory ${options.state_dir}: ${wordsOf(error)}`)
  })
  const request = { ...options.place, abilities: abilitiesHere(), ...(id === undefined ? {} : { id }) }
  const answer = await options.enroll(request, token).catch((error: unknown) => {
    throw refusal(error, id) ?? error
  })
  if (id !== undefined && answer.monitor_id !== id) {
    throw hopeless(`the server returned monitor ${answer.monitor_id} instead of ${id}`)
  }
  const identity = {
    base_url: options.base_url,
    monitor_id: answer.monitor_id,
    api_key: answer.api_key,
    ...(answer.class !== undefined && { class: answer.class }),
  }
  await saveIdentity(options.state_dir, identity)
  return identity
}

export async function saveIdentity(state_dir: string, identity: Identity): Promise<void> {
  await replaceFile(identityPath(state_dir), `${JSON.stringify(identity, null, 2)}\n`)
}

function withoutToken(id: string | undefined): string {
  const how = 'set DOGWATCH_ENROLLMENT_TOKEN or --enrollment-token-file'
  return id === undefined
    ? `this agent has no identity and no enrollment token; ${how}`
    : `the API key of monitor ${id} is no longer valid; reset the monitor on the server, and ${how} to enroll again`
}

/** Describes a refused enrollment that a retry cannot change. Returns undefined if a retry may succeed. */
function refusal(error: unknown, id: string | undefined): Fatal | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { status, message } = error
  if (status === 401) return hopeless('the enrollment token is unknown, revoked or expired; create a new token')
  if (id !== undefined && status === 404) {
    return hopeless(`monitor ${id} does not exist in the organisation or shared fleet of this enrollment token`)
  }
  if (id !== undefined && status === 409) {
    return hopeless(
      `monitor ${id} is still enrolled, possibly on another machine; reset the monitor on the server first`,
    )
  }
  if (status === 429 || status === 408 || status >= 500) return undefined
  return hopeless(`the server refused the enrollment with status ${status}: ${message}`)
}

function hopeless(message: string): Fatal {
  return new Fatal(message, EXIT_HOPELESS)
}

/**
 * Whether a retry of a failed enrollment is safe: the request did not reach the server, or the server says that it failed. If
 * only the response was lost, the monitor may already exist.
 */
export function mayBeRepeated(error: unknown): boolean {
  // A proxy or firewall that responds in the server's place has not passed the enrollment on.
  if (foreignAnswerOf(error)) return true
  if (error instanceof ApiError)
    return error.status === 429 || (error.status >= 500 && error.status !== GATEWAY_TIMEOUT)
  const code = codeOf(error) ?? ''
  return NEVER_SENT.has(code) || CERTIFICATE.test(code) || wasConnecting(error)
}

const GATEWAY_TIMEOUT = 504

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** Codes of certificate errors. The client sends nothing to a server that it does not trust. */
const CERTIFICATE = /CERT|^UNABLE_TO_|^ERR_TLS_|^ERR_SSL_WRONG_VERSION_NUMBER$/

/** Whether the connection failed before it was open. */
function wasConnecting(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { syscall, errors, cause } = error as { syscall?: unknown; errors?: unknown; cause?: unknown }
  // If several addresses fail, Node reports them as one error.
  return syscall === 'connect' || Array.isArray(errors) || wasConnecting(cause)
}
