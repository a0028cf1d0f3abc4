// Requests the registration of a domain name from its registry, by RDAP (RFC 9083).
import { readFileSync } from 'node:fs'
import type { EgressOutcome, Post } from './egress.ts'

/** Outcome of a request for the registration of a name. */
export type RdapOutcome =
  | {
      kind: 'found'
      /** End of the registration. Undefined if the registry does not say. */
      expires: Date | undefined
      registrar: string | undefined
      name_servers: string[]
      statuses: string[]
    }
  /** The registry does not know the name. */
  | { kind: 'missing' }
  /** The registry wants fewer requests. `retry_after` is the Retry-After header of its response. */
  | { kind: 'limited'; retry_after: string | undefined }
  | { kind: 'failed'; reason: string }

/** RDAP services by top-level domain. */
export type RdapServices = ReadonlyMap<string, string>

/** Maximum size of a response in bytes. */
export const RDAP_MAX_BYTES = 262_144
const MOST_REDIRECTS = 3
const MOST_LISTED = 20
const MOST_CHARS = 200

/** Reads the shipped copy of IANA's list. `scripts/rdap-services.ts` refreshes it. */
export function shippedServices(): RdapServices {
  const text = readFileSync(new URL('../assets/rdap.json', import.meta.url), 'utf8')
  return readServices(JSON.parse(text))
}

/** Reads a list in the form of IANA (RFC 9224). Ignores entries that are not valid. */
export function readServices(list: unknown): RdapServices {
  const services = new Map<string, string>()
  for (const service of listAt(list, 'services').map(listOf)) {
    const urls = textsOf(service[1]).filter((url) => URL.canParse(url))
    const url = urls.find((one) => one.startsWith('https:')) ?? urls[0]
    if (url !== undefined) for (const tld of textsOf(service[0])) services.set(tld, url)
  }
  return services
}

/** Requests the registration of a name from an RDAP service. Follows a few redirects, each through the guard of `get`. */
export async function askRdap(get: Post, service: string, name: string): Promise<RdapOutcome> {
  let url = `${service.endsWith('/') ? service : `${service}/`}domain/${encodeURIComponent(name)}`
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const answer = await get(url, { accept: 'application/rdap+json, application/json' }, '', 'GET')
    if (answer.kind === 'failed') return { kind: 'failed', reason: answer.reason }
    const { location } = answer.headers ?? {}
    if (answer.status < 300 || answer.status > 399 || location === undefined || !URL.canParse(location, url))
      return outcomeOf(answer, name)
    url = new URL(location, url).href
  }
  return { kind: 'failed', reason: 'too many redirects' }
}

function outcomeOf(
  { status, retry_after, body }: Extract<EgressOutcome, { kind: 'answered' }>,
  name: string,
): RdapOutcome {
  if (status === 429 || status === 503) return { kind: 'limited', retry_after }
  if (status === 404) return { kind: 'missing' }
  if (status !== 200) return { kind: 'failed', reason: `HTTP ${status}` }
  const found = parsed(body)
  const about = (textAt(found, 'ldhName') ?? name).toLowerCase().replace(/\.$/, '')
  if (about !== name || listAt(found, 'events').length === 0)
    return { kind: 'failed', reason: 'the response is not about the name' }
  const ends = listAt(found, 'events').find((event) => textAt(event, 'eventAction') === 'expiration')
  const expires = new Date(textAt(ends, 'eventDate') ?? '')
  const registrar = listAt(found, 'entities').find((entity) => listAt(entity, 'roles').includes('registrar'))
  return {
    kind: 'found',
    expires: isPlausible(expires) ? expires : undefined,
    registrar: nameIn(registrar),
    name_servers: shownTexts(listAt(found, 'nameservers').map((server) => textAt(server, 'ldhName')?.toLowerCase())),
    statuses: shownTexts(listAt(found, 'status')),
  }
}

/** Whether a date can be stored, and is one that a registration can have. */
function isPlausible(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= 1980 && year <= 2500
}

/** Returns the name of an entity from its card (RFC 7095). */
function nameIn(entity: unknown): string | undefined {
  const properties = listOf(listAt(entity, 'vcardArray')[1]).map(listOf)
  return shownTexts([properties.find(([property]) => property === 'fn')?.[3]])[0]
}

/** Returns those values of a response that are texts, shortened and without control characters. */
function shownTexts(values: readonly unknown[]): string[] {
  const found = values.flatMap((value) => (typeof value === 'string' && value.trim() !== '' ? [value.trim()] : []))
  // biome-ignore lint: control characters are what is removed
  return found.slice(0, MOST_LISTED).map((text) =>
    text
      .toWellFormed()
      .replace(/[\x00-\x1f\x7f]/g, ' ')
      .slice(0, MOST_CHARS),
  )
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function textAt(value: unknown, key: string): string | undefined {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  return typeof found === 'string' ? found : undefined
}

function listAt(value: unknown, key: string): unknown[] {
  return typeof value === 'object' && value !== null ? listOf(Reflect.get(value, key)) : []
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function textsOf(value: unknown): string[] {
  return listOf(value).flatMap((one) => (typeof one === 'string' ? [one] : []))
}
