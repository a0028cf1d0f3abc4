// Recognises browsers in which a person has signed in before. They are not locked out while others guess at the password.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Random } from '@dogwatch/runtime/random'
import { findCredentials } from '@dogwatch/store/accounts/people'
import type { Deps } from '../deps.ts'
import { isStorable } from '../text.ts'

const SHAPE = /^([\w-]{22})\.([\w-]{43})$/

/**
 * Returns the text of a cookie that lets the server recognise a person's browser. A hash over the present password hash proves
 * that the server made it: nothing is stored, and a new password makes the cookie void.
 */
export function newDevice(random: Random, password_hash: string): string {
  const id = Buffer.from(random(16)).toString('base64url')
  return `${id}.${macOf(id, password_hash)}`
}

/**
 * Returns the id of a device that is known to the person with that address. Returns undefined if the device is unknown, or there
 * is no such person.
 */
export async function findDevice(
  deps: Pick<Deps, 'database'>,
  email: string,
  device: string,
): Promise<string | undefined> {
  const [, id = '', mac = ''] = SHAPE.exec(device) ?? []
  if (id === '' || email.length > 254 || !isStorable(email)) return undefined
  const person = await findCredentials(deps.database.people, email)
  if (!person?.password_hash) return undefined
  const isKnown = timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(id, person.password_hash)))
  return isKnown ? id : undefined
}

function macOf(id: string, password_hash: string): string {
  return createHmac('sha256', password_hash).update(`device:${id}`).digest('base64url')
}
