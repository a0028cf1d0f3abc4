// Reads every fault of a refusal. The server truncates a refusal in one line, but lists all faults in the form of RFC 9457.

import type { Fetch } from '#core/options'
import type { ApiError } from '../index.ts'

const PROBLEM = 'application/problem+json'
/** Header that carries the faults of a refusal from its response to the `ApiError`, which keeps headers but not the body. */
const CARRIER = 'x-dogwatch-faults'
/** Maximum length of a refusal to read, in characters. */
const MOST_CHARS = 1024 * 1024

/** Minimum length of a token that is removed from texts. A shorter token may be part of any word. */
const TOKEN_MIN = 8

/** One fault that the server found in a request. */
export interface Wrong {
  detail: string
  /** Path to the fault in the body. */
  steps: readonly string[]
}

/**
 * Fetches like `fetch`, but requests problem details. Returns a refusal as the line that other clients receive, with the faults
 * in a header.
 */
export const askingForProblems: Fetch = async (url, init) => {
  const headers = new Headers(init.headers)
  headers.set('accept', `application/json, ${PROBLEM}`)
  const answer = await fetch(url, { ...init, headers })
  if (answer.headers.get('content-type')?.startsWith(PROBLEM) !== true) return answer
  const token = (headers.get('authorization') ?? '').replace(/^Bearer /, '')
  const body = await textOf(answer)
  const { detail, errors } = problemIn(token.length < TOKEN_MIN ? body : body.replaceAll(token, '[token]'))
  const told = new Headers(answer.headers)
  told.delete('content-length')
  told.delete('content-encoding')
  told.set('content-type', 'text/plain; charset=utf-8')
  told.set(CARRIER, encodeURIComponent(JSON.stringify(errors).toWellFormed()))
  return new Response(detail, { status: answer.status, statusText: answer.statusText, headers: told })
}

async function textOf(answer: Response): Promise<string> {
  const reader = answer.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (reader && text.length < MOST_CHARS) {
    const { done, value } = await reader.read()
    if (done) return text
    text += decoder.decode(value, { stream: true })
  }
  await reader?.cancel()
  return text
}

/** Reads problem details from the body of a refusal. `detail` is the whole text if the body is not valid JSON of that form. */
function problemIn(text: string): { detail: string; errors: unknown } {
  const read = parsed(text)
  if (typeof read !== 'object' || read === null) return { detail: text, errors: [] }
  const { detail, title, errors } = read as Record<string, unknown>
  const line = [detail, title].find((one) => typeof one === 'string')
  return { detail: line ?? text, errors: errors ?? [] }
}

/** Returns each fault of the refused request, or none if the server sent only a line. */
export function wrongsOf({ headers }: ApiError): Wrong[] {
  const carried = parsed(decoded(headers.get(CARRIER) ?? ''))
  if (!Array.isArray(carried)) return []
  return carried.flatMap((one: unknown) => {
    const { detail, pointer } = Object(one) as Record<string, unknown>
    return typeof detail === 'string' ? [{ detail, steps: typeof pointer === 'string' ? stepsOf(pointer) : [] }] : []
  })
}

/** Splits `#/changes/0/body/url` into steps. */
function stepsOf(pointer: string): string[] {
  const [, ...steps] = decoded(pointer).split('/')
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
