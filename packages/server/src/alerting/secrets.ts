// Secrets are cut out of what went wrong, before anybody reads it.
import type { Outcome } from './channels/channel.ts'

/** Of a shorter one so little is told that cutting it out would only garble the rest. */
const SHORTEST = 4

/** What is secret in a url: its userinfo in each form it may be met in, and a path or query that is hard to guess. */
export function secretsOf(url: string): string[] {
  if (!URL.canParse(url)) return []
  const { username, password, pathname, search } = new URL(url)
  const pairs = [`${username}:${password}`, `${decode(username)}:${decode(password)}`]
  return [
    ...pairs,
    ...pairs.map(base64),
    password,
    decode(password),
    base64(decode(password)),
    pathname + search,
    pathname,
  ]
}

/** An outcome whose reason holds none of them. */
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
