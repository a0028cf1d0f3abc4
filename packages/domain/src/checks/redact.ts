// Keeps the secrets of checks out of the responses of their targets, because some targets send back what they received.
import { setImmediate as pause } from 'node:timers/promises'
import { HIDDEN, type Secret, secretsIn } from '@dogwatch/check-rules/secrets'
import type { CheckKey } from '@dogwatch/store/check-keys'
import { listSecretFields, type SecretFields, type SecretFieldsRow } from '@dogwatch/store/checks/checks'
import type { Db } from '@dogwatch/store/database'
import { kindOfError } from './event-data.ts'
import { findSecrets, indexSecrets, SECRET_MIN, type SecretIndex } from './secret-places.ts'

/** Maximum number of secrets to search for. With more, a text is hidden completely, because the search would take long. */
const MOST_SECRETS = 500

export interface Secrets {
  index: SecretIndex
  /** Whether there are more secrets than MOST_SECRETS, so that texts are hidden completely. */
  areTooMany: boolean
}

/** Returns the secrets of definitions, whole and by word. */
export function secretsOf(definitions: readonly SecretFields[]): Secrets {
  const secrets = new Set<string>()
  const add = (words: readonly string[]) => {
    for (const text of words) {
      if (secrets.size > MOST_SECRETS) return
      if (text.length >= SECRET_MIN) secrets.add(text)
    }
  }
  for (const definition of definitions) {
    for (const url of [definition.url, definition.proxy]) add(loginOf(url ?? ''))
    for (const secret of secretsIn(definition)) {
      if (secrets.size > MOST_SECRETS) break
      add(wordsOf(secret))
    }
  }
  return { index: indexSecrets(secrets), areTooMany: secrets.size > MOST_SECRETS }
}

function wordsOf({ field, value }: Secret): string[] {
  if (field === 'headers') return [...partsOf(value), ...loginIn(value)]
  return field === 'url' ? [value] : [value, ...valuesIn(value)]
}

/** Returns the words of a header, and the value of each word such as `session=abc==`. */
function partsOf(value: string): string[] {
  const words = value.split(/[\s;,]+/)
  const rests = words.flatMap((word) => (word.includes('=') ? word.slice(word.indexOf('=') + 1) : []))
  return [value, ...words, ...rests, ...value.split(/[\s;,=]+/)]
}

/** Returns the credentials in a header of Basic authentication. */
function loginIn(value: string): string[] {
  const coded = /^basic\s+([\w+/=-]+)$/i.exec(value.trim())?.[1]
  if (coded === undefined) return []
  const login = Buffer.from(coded, 'base64').toString()
  return [login, login.slice(login.indexOf(':') + 1)]
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
 * Returns the text with three asterisks in place of each secret. `cut`: minimum length of a text that may have been cut, in
 * characters. If there are secrets, the end of such a text is always hidden.
 */
export function redact(text: string, secrets: Secrets, cut = Infinity): string {
  const isCut = text.length >= cut && (text.length >= 2 * cut || Array.from(text).length >= cut)
  const note = isCut ? (NOTE.exec(text)?.[0] ?? '') : ''
  return redactPart(text.slice(0, text.length - note.length), secrets, isCut) + redactPart(note, secrets, false)
}

/** Note that our agent appends to a long response if it sends only the beginning. */
const NOTE = / \[match: not found in [\w,; ]{1,99}\]$/

function redactPart(text: string, { index, areTooMany }: Secrets, isCut: boolean): string {
  if (text === '') return ''
  if (index.size === 0) return text
  const places = areTooMany ? undefined : findSecrets(index, text, isCut)
  if (places === undefined) return HIDDEN
  let [clean, end] = ['', 0]
  for (const { from, until } of places) {
    clean += text.slice(end, from) + HIDDEN
    end = until
  }
  return clean + text.slice(end)
}

/** Texts of a result that come from its target. */
interface Quoting {
  ran_at: string
  error: string | null
  response_sample?: string | null
}

/** Number of characters of definitions and texts after which other requests have their turn. */
const CHARS_AT_ONCE = 50_000

/** Returns the secrets that a check has or had. */
export async function secretsOfCheck(db: Db, key: CheckKey): Promise<Secrets> {
  const [row] = await listSecretFields(db, [key])
  return row ? hidingOf(row).secrets : secretsOf([])
}

/** Returns results of one check without the secrets that it has or had. */
export async function redactResults<Result extends Quoting>(
  db: Db,
  { org_id, check_id }: CheckKey,
  results: readonly Result[],
): Promise<Result[]> {
  const keyed = results.map((result) => ({ org_id, check_id, result, ...result }))
  return (await redactResultsOfChecks(db, keyed)).map(({ result, error, response_sample }) => ({
    ...result,
    error,
    ...(response_sample !== undefined && { response_sample }),
  }))
}

/**
 * Returns results of several checks without their secrets, like {@link redactResults}. Reads definitions only if a result quotes
 * its target.
 */
export async function redactResultsOfChecks<Result extends Quoting & CheckKey>(
  db: Db,
  results: readonly Result[],
): Promise<Result[]> {
  const quoting = results.filter(({ error, response_sample }) => error || response_sample)
  if (quoting.length === 0) return [...results]
  let chars = 0
  const spend = async (some: number) => {
    chars += some
    if (chars < CHARS_AT_ONCE) return
    chars = 0
    await pause()
  }
  const known = new Map<number, Hiding>()
  for (const row of await listSecretFields(db, quoting)) {
    await spend(charsOf(row))
    known.set(row.check_id, hidingOf(row))
  }
  const clean: Result[] = []
  for (const result of results) {
    await spend((result.error?.length ?? 0) + (result.response_sample?.length ?? 0))
    clean.push(redactResult(result, known.get(result.check_id)))
  }
  return clean
}

/** Rules for hiding secrets in the results of a check. */
interface Hiding {
  secrets: Secrets
  cut: number
  /** Start of the results that may quote their target. The definitions of earlier ones are no longer known. */
  withheld_before: string
}

function hidingOf({ url, headers, post_data, proxy, former, cut_chars, withheld_before }: SecretFieldsRow): Hiding {
  return {
    secrets: secretsOf([{ url, headers, post_data, proxy }, ...former]),
    cut: cut_chars ?? Infinity,
    // A private definition is not known, and results from before it was private are still being wiped.
    withheld_before: url === '' ? END_OF_TIME : (withheld_before ?? ''),
  }
}

const END_OF_TIME = '~'

function charsOf({ url, headers, post_data, proxy, former }: SecretFieldsRow): number {
  return [{ url, headers, post_data, proxy }, ...former].reduce((sum, one) => {
    const values = Object.values(one.headers ?? {})
    return sum + [one.url, one.post_data, one.proxy, ...values].reduce((all, text) => all + (text?.length ?? 0), 0)
  }, 0)
}

function redactResult<Result extends Quoting>(result: Result, hiding: Hiding | undefined): Result {
  const { error, response_sample, ran_at } = result
  if (hiding === undefined || ran_at < hiding.withheld_before) {
    return {
      ...result,
      error: error && (kindOfError(error) ?? HIDDEN),
      ...(response_sample && { response_sample: HIDDEN }),
    }
  }
  const { secrets, cut } = hiding
  return {
    ...result,
    error: error && redact(error, secrets, cut),
    ...(response_sample && { response_sample: redact(response_sample, secrets, cut) }),
  }
}

/** Returns the password of a URL, and both parts of the login as the request carries them. */
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
