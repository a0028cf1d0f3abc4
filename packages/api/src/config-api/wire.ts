// Converts data to the shapes of the configuration API, and makes the versions that `If-Match` compares.
import type { components } from '@dogwatch/contract/config'
import type { Configurator } from '@dogwatch/domain/configuration/tokens'
import { DomainError } from '@dogwatch/domain/errors'

type Schemas = components['schemas']

export function toToken({ name, scopes, expires_at }: Configurator, org_name: string): Schemas['Token'] {
  return { name, org_name, scopes: [...scopes], ...(expires_at !== null && { expires_at }) }
}

export function etagOf(version: string): string {
  return `"${version}"`
}

const ETAG = /^"([0-9a-f]{32})"$/

/**
 * Returns the version in `If-Match`, or undefined for any version. Refuses a weak version or a list, because the API's versions
 * are strong and single.
 */
export function readIfMatch(header: string | undefined): string | undefined {
  const given = header?.trim()
  if (given === undefined || given === '*') return undefined
  const [, version] = ETAG.exec(given) ?? []
  if (version === undefined)
    throw new DomainError('stale', 'if-match does not match the current version of the resource')
  return version
}

/**
 * Returns a cursor such as `2026-11-20T10~00~00.000000Z_5f0c...`: the time and the id of the last item on a page. Uses `~`,
 * because a colon would need encoding in a URL.
 */
export function cursorOf(time: string, id: string): string {
  return `${time.replaceAll(':', '~')}_${id}`
}

/** Returns the time and the id in a cursor. The time is empty if the text is no cursor. */
export function partsOf(cursor: string): [time: string, id: string] {
  const at = cursor.indexOf('_')
  return [cursor.slice(0, Math.max(0, at)).replaceAll('~', ':'), cursor.slice(at + 1)]
}
