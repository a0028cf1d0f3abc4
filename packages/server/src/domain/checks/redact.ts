// Keeps the secrets of a definition out of what its target answered: some targets send back what they were sent.
import { setImmediate as pause } from 'node:timers/promises'
import { HIDDEN, type Secret, secretsIn } from '@dogwatch/check-rules/secrets'
import type { CheckKey } from '../../store/checks/check-health.ts'
import { listSecretFields } from '../../store/checks/checks.ts'
import type { Db } from '../../store/database.ts'
import type { CheckFields } from './check.ts'

type SecretFields = Partial<Pick<CheckFields, 'url' | 'headers' | 'post_data'>>

/** Shorter words stand in any text. */
const SECRET_MIN = 6
/** Looking for more would take long. A text is then hidden whole. */
const MOST_SECRETS = 200

/**
 * Returns what must not be shown of a definition: its secrets, whole and by word, the longest first. Of a definition with more than
 * MOST_SECRETS, it returns some more than those, and looks for no others.
 */
export function secretsOf(definition: SecretFields): string[] {
  const secrets = new Set<string>()
  const add = (words: readonly string[]) => {
    for (const text of words) {
      if (secrets.size > MOST_SECRETS) return
      if (text.length < SECRET_MIN) continue
      // As it stands in JSON, too.
      secrets.add(text).add(JSON.stringify(text).slice(1, -1))
    }
  }
  add(loginOf(definition.url ?? ''))
  for (const secret of secretsIn(definition)) {
    if (secrets.size > MOST_SECRETS) break
    add(wordsOf(secret))
  }
  return [...secrets].sort((a, b) => b.length - a.length)
}

function wordsOf({ field, value }: Secret): string[] {
  if (field === 'headers') return [value, ...value.split(/[\s;,]+/), ...value.split(/[\s;,=]+/)]
  return field === 'url' ? [value, decoded(value)] : [value, ...valuesIn(value)]
}

/** Returns the values of a body that is JSON or a form. */
function valuesIn(body: string): string[] {
  const read = jsonIn(body)
  if (read === undefined) return body.includes('=') ? [...new URLSearchParams(body).values()] : []
  const values: string[] = []
  const unread: unknown[] = [read]
  for (let one = unread.pop(); one !== undefined; one = unread.pop()) {
    if (typeof one === 'string') values.push(one)
    else if (typeof one === 'object' && one !== null) for (const part of Object.values(one)) unread.push(part ?? '')
  }
  return values
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/**
 * Returns the text with three asterisks in place of each secret. All places are found in the text as it came: a secret that overlaps another
 * would otherwise leave the rest of it.
 */
export function redact(text: string, secrets: readonly string[]): string {
  if (secrets.length > MOST_SECRETS) return text === '' ? '' : HIDDEN
  let [clean, end] = ['', 0]
  for (const { from, until } of placesOf(secrets, text)) {
    clean += text.slice(end, from) + HIDDEN
    end = until
  }
  return secrets.reduce(withoutBegun, clean + text.slice(end))
}

interface Place {
  from: number
  until: number
}

/** Returns where the secrets are in a text, in order; places that overlap are one. */
function placesOf(secrets: readonly string[], text: string): Place[] {
  const found = secrets.flatMap((secret) => {
    const places: Place[] = []
    for (let from = text.indexOf(secret); from >= 0; from = text.indexOf(secret, from + secret.length)) {
      places.push({ from, until: from + secret.length })
    }
    return places
  })
  const joined: Place[] = []
  for (const place of found.sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (last && place.from < last.until) last.until = Math.max(last.until, place.until)
    else joined.push(place)
  }
  return joined
}

/** A text that was cut may end in the middle of a secret. */
function withoutBegun(text: string, secret: string): string {
  if (!secret.includes(text.slice(-SECRET_MIN))) return text
  for (let length = Math.min(secret.length - 1, text.length); length >= SECRET_MIN; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + HIDDEN
  }
  return text
}

/** Texts of a result that come from its target. */
interface Quoting {
  error: string | null
  response_sample?: string | null
}

/** Other requests are answered after so many results. */
const AT_ONCE = 20

/** Returns results of one check without the secrets of its definition. */
export async function redactResults<Result extends Quoting>(
  definition: SecretFields,
  results: readonly Result[],
): Promise<Result[]> {
  const secrets = secretsOf(definition)
  if (secrets.length === 0) return [...results]
  const clean: Result[] = []
  for (const [index, result] of results.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await pause()
    clean.push(redactResult(result, secrets))
  }
  return clean
}

function redactResult<Result extends Quoting>(result: Result, secrets: readonly string[]): Result {
  const { error, response_sample } = result
  return {
    ...result,
    error: error && redact(error, secrets),
    ...(response_sample && { response_sample: redact(response_sample, secrets) }),
  }
}

/** Like {@link redactResults}, but for results of several checks, whose definitions are read if a result quotes its target. */
export async function redactResultsOfChecks<Result extends Quoting & CheckKey>(
  db: Db,
  results: readonly Result[],
): Promise<Result[]> {
  const quoting = results.filter(({ error }) => error !== null && error !== '')
  if (quoting.length === 0) return [...results]
  const definitions = await listSecretFields(db, quoting)
  const secrets = new Map<number, string[]>()
  for (const [index, one] of definitions.entries()) {
    // A definition of the largest size takes a millisecond.
    if (index % AT_ONCE === AT_ONCE - 1) await pause()
    secrets.set(one.check_id, secretsOf(one))
  }
  return results.map((result) => redactResult(result, secrets.get(result.check_id) ?? []))
}

/** The password, and both parts as the request carries them. */
function loginOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { username, password } = new URL(url)
  if (username === '' && password === '') return []
  const [user, word] = [decoded(username), decoded(password)]
  // A token is often a user without a password.
  const plain = password === '' ? [username, user] : [password, word]
  return [...plain, Buffer.from(`${user}:${word}`).toString('base64')]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
