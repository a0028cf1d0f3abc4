// Finds the secrets in a definition, hides them from readers, and restores them when a hidden value is sent back.
import { decoded } from './address.ts'
import { sendsInClear } from './dialogues.ts'
import { appliesTo, type CheckFields, HARMLESS_HEADERS } from './fields.ts'
import { proxyServerOf } from './request.ts'
import { schemeOf, schemeRow } from './schemes.ts'
import { isSameServer, readTarget, type Target, usesTls } from './target.ts'

/** Placeholder for a hidden secret. If a client sends it back, the stored secret does not change. */
export const HIDDEN = '***'

/** The fields of a definition that may contain secrets. */
type SecretFields = Pick<CheckFields, 'url' | 'headers' | 'post_data' | 'proxy'>
/** The fields that decide who receives the secrets of a definition. */
type SecretRequest = SecretFields & Pick<CheckFields, 'insecure_skip_verify'>

export interface Secret {
  field: keyof SecretFields
  /** Name of the secret within its field: `password`, `user`, a parameter or a header. Empty for the whole field. */
  name: string
  value: string
}

export interface SecretFault {
  field: keyof SecretFields
  header?: string
  /** Fault as text that follows the name of the field or header. */
  must: string
}

const SECRET_WORDS =
  /auth(?!or(?!i))|bearer|cookie|credential|hmac|jwt|key(?!word|board)|pass(?:w|phrase|code|$|[^a-z])|pwd|secret|session|signature|token/i
/** Secret words that are too short to be searched for within other words. */
const SHORT_WORDS = /(?:^|[^a-z])(?:otp|pin|sid|sig)(?:$|[^a-z])/i

/** Names that are secret only as a whole, because there are many names like `postcode`. */
const WHOLE_NAMES = /^(?:access|code|k|ticket)$/i

/** Whether the value of a parameter with this name is secret. */
export function isSecretName(name: string): boolean {
  return SECRET_WORDS.test(name) || SHORT_WORDS.test(name) || WHOLE_NAMES.test(name)
}

/** Headers that contain no secret, but are sent only to the site that the check names. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set(['accept-charset', 'host', 'origin', 'range', 'x-requested-with'])

/** Whether the value of a header with this name is secret. All are, except those that are known to contain none. */
export function isSecretHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return !HARMLESS_HEADERS.has(lower) && !PLAIN_HEADERS.has(lower)
}

/** Replaces each secret of a definition with the text from `textOf`. */
export function mapSecrets<Given extends Partial<SecretFields>>(
  given: Given,
  textOf: (secret: Secret) => string,
): Given {
  const { url, headers, post_data, proxy } = given
  return {
    ...given,
    ...(url !== undefined && { url: mapUrl(url, (name, value) => textOf({ field: 'url', name, value })) }),
    ...(headers !== undefined && { headers: mapHeaders(headers, textOf) }),
    ...(post_data && { post_data: textOf({ field: 'post_data', name: '', value: post_data }) }),
    ...(proxy && { proxy: mapUrl(proxy, (name, value) => textOf({ field: 'proxy', name, value })) }),
  }
}

/** Returns the definition as readers see it. */
export function hideSecrets<Given extends Partial<SecretFields>>(given: Given): Given {
  return mapSecrets(given, () => HIDDEN)
}

/** Returns a target as readers see it. */
export function hideInUrl(url: string): string {
  return mapUrl(url, () => HIDDEN)
}

/** Returns every secret of a definition, in the order of its fields. */
export function secretsIn(given: Partial<SecretFields>): Secret[] {
  const found: Secret[] = []
  mapSecrets(given, (secret) => {
    found.push(secret)
    return secret.value
  })
  return found
}

/**
 * Replaces hidden secrets with the stored ones. If the request would go to another server, each hidden secret is a fault instead,
 * because a member who cannot read the secrets could send them elsewhere.
 */
export function restoreSecrets<Given extends SecretRequest>(
  given: Given,
  stored: SecretRequest | undefined,
): { restored: Given; faults: SecretFault[] } {
  const known = secretsById(stored)
  const moved = stored && whatMoved(given, stored)
  const faults: SecretFault[] = []
  const nameOf = namer()
  const restored = mapSecrets(given, (secret) => {
    const id = nameOf(secret)
    if (!isHidden(secret)) return secret.value
    const value = known.get(id)
    if (value !== undefined && moved === undefined) return value
    const why = value === undefined || moved === undefined ? 'there is no stored value to keep' : moved
    faults.push(faultOf(secret, why))
    return secret.value
  })
  return { restored, faults }
}

/**
 * Replaces all secrets of a definition with the stored ones, and returns the fields that contained a secret in full instead of its
 * placeholder. A comparison with the stored definition then does not reveal whether a given secret is right.
 */
export function withStoredSecrets<Given extends SecretFields>(
  given: Given,
  stored: SecretFields,
): { held: Given; fields: (keyof SecretFields)[] } {
  const known = secretsById(stored)
  const nameOf = namer()
  const fields = new Set<keyof SecretFields>()
  const held = mapSecrets(given, (secret) => {
    const value = known.get(nameOf(secret))
    if (value !== undefined && !isHidden(secret)) fields.add(secret.field)
    return value ?? secret.value
  })
  return { held, fields: [...fields] }
}

function secretsById(stored: SecretFields | undefined): ReadonlyMap<string, string> {
  const nameOf = namer()
  return new Map((stored ? secretsIn(stored) : []).map((secret) => [nameOf(secret), secret.value]))
}

/** Returns a function that gives each secret of a definition a unique name, because a parameter may occur several times. */
function namer(): (secret: Secret) => string {
  const seen = new Map<string, number>()
  return ({ field, name }) => {
    const id = `${field} ${name.toLowerCase()}`
    const count = (seen.get(id) ?? 0) + 1
    seen.set(id, count)
    return `${id} ${count}`
  }
}

function isHidden({ field, value }: Secret): boolean {
  return value === HIDDEN || (isAddress(field) && decoded(value) === HIDDEN)
}

function faultOf({ field, name }: Secret, why: string): SecretFault {
  if (field === 'headers') return { field, header: name, must: `must be given again, because ${why}` }
  const what = isAddress(field) ? ` with the value of ${JSON.stringify(name).slice(0, 80)}` : ''
  return { field, must: `must be given again${what}, because ${why}` }
}

function isAddress(field: Secret['field']): boolean {
  return field === 'url' || field === 'proxy'
}

/** Returns the change that might send the secrets to another server, or undefined if there is none. */
function whatMoved(given: SecretRequest, stored: SecretRequest): string | undefined {
  const [to, from] = [readTarget(given.url), readTarget(stored.url)]
  if ('fault' in to || 'fault' in from || !isSameServer(to, from))
    return 'the scheme, host or port of the target has changed'
  if (hostIn(given) !== hostIn(stored)) return 'the Host header has changed'
  // A proxy can read what an http request sends.
  if (proxyServerOf(given.proxy) !== proxyServerOf(stored.proxy)) return 'the proxy has changed'
  if ('tls' in from && from.tls && 'tls' in to && !to.tls) return 'the option tls was turned off'
  if (secretsInClear(to) > secretsInClear(from)) return 'it would be sent without encryption'
  const sendsSecrets =
    'url' in to || 'login' in to || 'password' in to || 'steps' in to || appliesTo('headers', to.scheme)
  // Anyone on the path could impersonate the target.
  const isOpened = sendsSecrets && usesTls(to) && given.insecure_skip_verify && !stored.insecure_skip_verify
  return isOpened ? 'insecure_skip_verify was turned on' : undefined
}

/** Returns how many secrets a dialogue sends before its connection is encrypted. */
function secretsInClear(target: Target): number {
  if ('steps' in target) return sendsInClear(target.steps)
  return 'login' in target && !usesTls(target) ? 1 : 0
}

function hostIn({ headers }: SecretFields): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1]
}

function mapHeaders(
  headers: Readonly<Record<string, string>>,
  textOf: (secret: Secret) => string,
): Record<string, string> {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => {
    const isSecret = value !== '' && isSecretHeader(name)
    return [name, isSecret ? textOf({ field: 'headers', name, value }) : value]
  })
  return Object.fromEntries(pairs)
}

/** Scheme and authority of a URL. As lenient about slashes as the programs that fetch the URL. */
const AUTHORITY = /^([a-z][a-z0-9+.-]*:[/\\]*)([^/\\?#]*)/i

function mapUrl(url: string, textOf: (name: string, value: string) => string): string {
  const [whole = '', start = '', authority = ''] = AUTHORITY.exec(url) ?? []
  const at = authority.lastIndexOf('@')
  const rest = url.slice(whole.length)
  const query = rest.search(/[?#]/)
  const path = query < 0 ? rest : rest.slice(0, query)
  const login = at < 0 ? '' : mapLogin(authority.slice(0, at), textOf)
  const site = `${start}${login}${authority.slice(Math.max(0, at))}${mapPath(path, textOf)}`
  return query < 0 ? site : `${site}${mapQuery(rest.slice(query), optionsOf(url), textOf)}`
}

interface QueryRules {
  /** Names of options that are secret although their names do not say so. */
  secretNames: ReadonlySet<string>
  /** Pattern of the end of a value. */
  end: RegExp
}

function optionsOf(url: string): QueryRules {
  const scheme = schemeOf(url)
  const options = scheme === undefined ? undefined : schemeRow(scheme).options
  const secretNames = Object.entries(options ?? {}).flatMap(([name, row]) => ('isSecret' in row ? name : []))
  // A target with options has no fragment.
  return { secretNames: new Set(secretNames), end: options ? /&|$/g : /[&#]|$/g }
}

/** Replaces the secrets of a login. A token is often a user without a password. */
function mapLogin(login: string, textOf: (name: string, value: string) => string): string {
  const colon = login.indexOf(':')
  const user = colon < 0 ? login : login.slice(0, colon)
  const password = colon < 0 ? '' : login.slice(colon + 1)
  const isToken = user !== '' && (password === '' || user === HIDDEN)
  const shown = isToken ? textOf('user', user) : user
  return `${shown}${colon < 0 ? '' : ':'}${password === '' ? '' : textOf('password', password)}`
}

/** Replaces parameters of a path, such as `;jsessionid=`. */
function mapPath(path: string, textOf: (name: string, value: string) => string): string {
  return path.replace(/;([^=;/]*)=([^;/]+)/g, (whole, name: string, value: string) =>
    isSecretName(nameIn(name)) ? `;${name}=${textOf(nameIn(name), value)}` : whole,
  )
}

/**
 * Replaces parameters of a query and a fragment, because addresses copied from a browser have tokens there. Some servers end a
 * parameter at a semicolon.
 */
function mapQuery(
  query: string,
  { secretNames, end: ends }: QueryRules,
  textOf: (name: string, value: string) => string,
): string {
  const pairs = /[?&;#]([^=&;?#]*)=/g
  let mapped = ''
  let from = 0
  let end = 0
  for (let pair = pairs.exec(query); pair !== null; pair = pairs.exec(query)) {
    const name = nameIn(pair[1] ?? '')
    const start = pair.index + pair[0].length
    // A parameter after a semicolon is part of the value before the semicolon, which was examined as a whole.
    const isExamined = start < end
    if (!isExamined) end = endOfValue(query, start, ends)
    const isSecret =
      secretNames.has(name) || isSecretName(name) || (!isExamined && isSecretValue(query.slice(start, end)))
    if (!isSecret || end === start) continue
    mapped += query.slice(from, start) + textOf(name, query.slice(start, end))
    from = end
    pairs.lastIndex = end
  }
  return mapped + query.slice(from)
}

function endOfValue(query: string, start: number, end: RegExp): number {
  end.lastIndex = start
  return end.exec(query)?.index ?? query.length
}

/** Maximum number of times to decode a value, for an address within an address within an address. */
const DECODED_MAX = 3
/** Address with a login. */
const LOGIN = /[/\\]{2}[^/\\?#\s]*@/
/** Name in JSON. The length after its opening quote is limited, so that many quotes cost no more than their number. */
const JSON_NAME = /"([^"]{0,200})"\s{0,20}:/g

/** Removes the escape before the closing quote of a name, which JSON within JSON has. */
function unescaped(name: string): string {
  return name.endsWith('\\') ? name.slice(0, -1) : name
}

/**
 * Whether the value of a parameter contains a secret: an address with a login or a secret parameter, or JSON with a secret name.
 */
function isSecretValue(given: string): boolean {
  if (decoded(given) === HIDDEN) return true
  let value = given
  for (let times = 0; times <= DECODED_MAX; times++) {
    if (LOGIN.test(value)) return true
    if ([...value.matchAll(JSON_NAME)].some(([, name = '']) => isSecretName(unescaped(name)))) return true
    // Skips the undecoded value, because its names are parameters of the query itself.
    const names = times === 0 ? [] : [...value.matchAll(/(?:^|[?&;#])([^=&;?#]*)=/g)]
    if (names.some(([, name = '']) => isSecretName(nameIn(name)))) return true
    const inner = nameIn(value)
    if (inner === value) return false
    value = inner
  }
  return false
}

/** Decodes a name as most servers do, and keeps malformed parts. Secret names are ASCII. */
function nameIn(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
