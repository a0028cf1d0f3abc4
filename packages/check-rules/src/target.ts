// Reads the target of a check, and decides which hosts are internal.
import ipaddr from 'ipaddr.js'
import { type Fault, withoutDots } from './address.ts'
import { type SCHEMES, type Scheme, schemeOf, schemeRow, startOf } from './schemes.ts'
import { UNKNOWN_SCHEME } from './words.ts'

/** Target of a scheme, with the parts that its row reads. */
export type TargetOf<Some extends Scheme> = {
  [One in Some]: { scheme: One } & Exclude<ReturnType<(typeof SCHEMES)[One]['read']>, Fault>
}[Some]
export type Target = TargetOf<Scheme>

/** Parts that the target of any scheme can have. Some schemes have no host or no port. */
export interface TargetParts {
  scheme: string
  shown: string
  host?: string
  port?: number
  needs_own_monitor?: boolean
}

/** Reads a url into what a probe dials, or returns its fault. */
export function readTarget(url: string): Target | Fault {
  const scheme = schemeOf(url)
  if (scheme === undefined) return { fault: UNKNOWN_SCHEME }
  const { read, port } = schemeRow(scheme)
  const address = read(url.slice(startOf(scheme).length), scheme, port)
  return 'fault' in address ? address : ({ scheme, ...address } as Target)
}

/** Whether a run of the target makes a TLS handshake, whose certificate is then judged. */
export function usesTls({ scheme, starttls = false }: { scheme: Scheme; starttls?: boolean }): boolean {
  return schemeRow(scheme).isTls || starttls
}

/** Whether two targets are on the same server. Targets without a host are compared as a whole. */
export function isSameServer(one: TargetParts, other: TargetParts): boolean {
  return serverOf(one) === serverOf(other)
}

function serverOf({ scheme, shown, host = shown, port = 0 }: TargetParts): string {
  return `${scheme}://${host}:${port}`
}

/**
 * Whether shared monitors must not run the check, wherever its target is. A target without a host is on the monitor's own
 * machine.
 * @param fields the fields of the check
 */
export function needsOwnMonitor(
  { scheme, host, needs_own_monitor = host === undefined }: TargetParts,
  fields: object = {},
): boolean {
  const known = schemeOf(`${scheme}://`)
  const { own_monitors_with = [] } = known ? schemeRow(known) : {}
  return needs_own_monitor || own_monitors_with.some((field) => Reflect.get(fields, field))
}

/** Whether a check is for own monitors only, or its target is in an inner network. */
export function isInternalTarget(target: TargetParts, fields: object = {}): boolean {
  return needsOwnMonitor(target, fields) || (target.host !== undefined && isInternalHost(target.host))
}

const INTERNAL_SUFFIXES = ['.local', '.internal', '.lan', '.home.arpa', '.localhost']
/** Address that is assigned as public, although within Azure it is the machine's host, which reveals secrets. */
const AZURE_HOST = '168.63.129.16'

/** Returns whether `text` is clearly an address of the public Internet. A name is not an address. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  // An IPv4 address embedded in IPv6 counts as the IPv4 address.
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast' || address.toString() === AZURE_HOST) return false
  // The public addresses of IPv6 are all in 2000::/3. For example, `::127.0.0.1` is not.
  return address instanceof ipaddr.IPv4 || ((address.parts[0] ?? 0) & 0xe000) === 0x2000
}

/** Returns whether a host is a non-public address or an internal name, however it is written. */
export function isInternalHost(host: string): boolean {
  const bare = withoutDots(host.replace(/^\[|%.*$|\]$/gs, ''))
  return ipaddr.isValid(bare) ? !isPublicAddress(bare) : isInternalName(bare)
}

/** Returns whether only an inner network knows a name. Case and final dots do not matter. */
export function isInternalName(name: string): boolean {
  const bare = withoutDots(name.toLowerCase())
  return !bare.includes('.') || INTERNAL_SUFFIXES.some((suffix) => `.${bare}`.endsWith(suffix))
}
