// Reads and sets the console's seven cookies: the session; the guest token before a session exists; an admin's own session while
// they impersonate another person; the token of a browser in which a person signed in before; a visit to the OpenID provider; a
// notice for the next page; and the browser's time zone, which a script sets.
import { cutBy } from '@dogwatch/channels/wording'
import type { Request, Response } from 'express'

const YEAR_SEC = 365 * 86_400
/** Lifetime of each cookie in the browser, in seconds. */
export const LIFE_SEC = {
  session: 30 * 86_400,
  guest: YEAR_SEC,
  own: 7_200,
  device: YEAR_SEC,
  visit: 600,
  notice: 60,
  zone: YEAR_SEC,
} as const
type CookieName = keyof typeof LIFE_SEC

/**
 * Maximum length of the encoded notice. All headers together must fit into 4 KiB, the most that proxies accept (see
 * `return-path.ts`).
 */
const MAX_NOTICE = 1500

export function readCookie(req: Request, name: CookieName, isSecure: boolean): string {
  const wanted = fullName(name, isSecure)
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=')
    if (part.slice(0, at).trim() === wanted) return decode(part.slice(at + 1).trim())
  }
  return ''
}

/** Sets a cookie. An empty value deletes it. */
export function setCookie(res: Response, name: CookieName, value: string, isSecure: boolean): void {
  const text = name === 'notice' ? cutBy(value.toWellFormed(), MAX_NOTICE, lengthInCookie) : value
  const life = value === '' ? 0 : LIFE_SEC[name]
  const parts = [
    `${fullName(name, isSecure)}=${encodeURIComponent(text)}`,
    'Path=/',
    `Max-Age=${life}`,
    'HttpOnly',
    'SameSite=Lax',
  ]
  res.append('Set-Cookie', [...parts, ...(isSecure ? ['Secure'] : [])].join('; '))
}

function lengthInCookie(text: string): number {
  return encodeURIComponent(text).length
}

/** Returns the full name of a cookie. Over TLS, its prefix prevents other hosts and plain connections from setting it. */
function fullName(name: CookieName, isSecure: boolean): string {
  return isSecure ? `__Host-dogwatch-${name}` : `dogwatch-${name}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
