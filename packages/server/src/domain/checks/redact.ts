// Keeps the secrets of a definition out of what its target answered: some targets send back what they were sent.
import { HARMLESS_HEADERS } from '@dogwatch/check-rules/fields'
import type { CheckFields } from './check.ts'

/** Shorter words stand in any text. */
const SECRET_MIN = 6
const HIDDEN = '***'

/** What must not be shown: the values of headers, whole and by word, and the password in the url. The longest come first. */
export function secretsOf({ url, headers }: Pick<CheckFields, 'url' | 'headers'>): string[] {
  const values = Object.entries(headers)
    .filter(([name]) => !HARMLESS_HEADERS.has(name.toLowerCase()))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,]+/), ...value.split(/[\s;,=]+/)])
  const secrets = new Set([...values, ...loginOf(url)].filter((text) => text.length >= SECRET_MIN))
  // As it stands in JSON, too.
  const all = [...secrets].flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])
  return [...new Set(all)].sort((a, b) => b.length - a.length)
}

/** The text with three asterisks in place of each secret. */
export function redact(text: string, secrets: readonly string[]): string {
  const whole = secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), text)
  return secrets.reduce(withoutBegun, whole)
}

/** A text that was cut may end in the middle of a secret. */
function withoutBegun(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= SECRET_MIN; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + HIDDEN
  }
  return text
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
