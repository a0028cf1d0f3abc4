// Removes secrets from error texts before anyone reads them.
import type { Outcome } from './channel.ts'

/** Minimum length of a secret to remove. A shorter one reveals little, and removing it would only garble the text. */
const SHORTEST = 4
const TOKEN_LENGTH = 16

/** Returns the secrets in a URL: credentials in every form, and a path or query that is hard to guess. */
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

/** Returns the parts of a path and query that are too long to be words, because tokens of webhooks appear there. */
function tokensIn(pathname: string, searchParams: URLSearchParams): string[] {
  const parts = [...pathname.split('/').map(decode), ...searchParams.values()]
  return parts.filter(({ length }) => length >= TOKEN_LENGTH)
}

/** Returns the header values that contain credentials. */
export function secretsOfHeaders(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /auth|key|token|secret/i.test(name) ? [value, value.replace(/^[A-Za-z]+ /, '')] : [],
  )
}

/** Returns the outcome with the secrets removed from its reason. */
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
