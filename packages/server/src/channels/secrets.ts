// Removes secrets from error texts before anybody reads them.
import type { Outcome } from './channel.ts'

/** A shorter secret reveals so little that removing it would only garble the text. */
const SHORTEST = 4
const TOKEN_LENGTH = 16

/**
 * The secrets in a url: its credentials in every form in which they may appear, and a path or query that is hard to
 * guess.
 */
export function secretsOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { username, password, pathname, search, searchParams } = new URL(url)
  const pairs = [`${username}:${password}`, `${decode(username)}:${decode(password)}`]
  return [
    ...pairs,
    ...pairs.map(base64),
    password,
    decode(password),
    base64(decode(password)),
    pathname + search,
    pathname,
    ...tokensIn(pathname, searchParams),
  ]
}

/** Parts that are too long to be a word of the vendor's: tokens of webhooks stand in paths and queries. */
function tokensIn(pathname: string, searchParams: URLSearchParams): string[] {
  const parts = [...pathname.split('/').map(decode), ...searchParams.values()]
  return parts.filter(({ length }) => length >= TOKEN_LENGTH)
}

/** Of the headers of a request, what says who asks. */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /auth|key|token|secret/i.test(name) ? [value, value.replace(/^[A-Za-z]+ /, '')] : [],
  )
}

/** The outcome, with none of them in its reason. */
export function withoutSecrets(outcome: Outcome, secrets: readonly string[]): Outcome {
  if (!('reason' in outcome)) return outcome
  const longestFirst = secrets.filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length)
  const reason = longestFirst.reduce((text, secret) => text.replaceAll(secret, '***'), outcome.reason)
  return { ...outcome, reason: reason.replaceAll(/:\/\/[^/\s@]+@/g, '://***@') }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
