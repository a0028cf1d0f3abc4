// Opens ICMP sockets without privileges, which only Linux has, and says whether this process may open them.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { OwnTrouble } from './own-trouble.ts'

/** The part of the native module that the agent uses. It calls functions of the C library. */
interface Native {
  load: (library: null) => { func: (declaration: string) => (...values: number[]) => number }
  errno: () => number
}

const RANGE_FILE = '/proc/sys/net/ipv4/ping_group_range'
/** Paths of the native module: beside the bundle, or in its own package. */
const MODULES = ['./koffi.node', `@koromix/koffi-${process.platform}-${process.arch}`]

const require = createRequire(import.meta.url)

/** Whether this process may open ICMP sockets: one of its groups is in the range that the kernel allows. */
export function mayPing(): boolean {
  try {
    const [lowest = 1, highest = 0] = readFileSync(RANGE_FILE, 'utf8').trim().split(/\s+/).map(Number)
    const groups = [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])]
    return groups.some((group) => group >= lowest && group <= highest) && findModule() !== undefined
  } catch {
    return false
  }
}

function findModule(): string | undefined {
  return MODULES.find((name) => {
    try {
      return require.resolve(name) !== ''
    } catch {
      return false
    }
  })
}

/** Constants of Linux on x64 and arm64. */
const AF = { 4: 2, 6: 10 }
const PROTOCOL = { 4: 1, 6: 58 }
const DATAGRAM_NONBLOCK_CLOEXEC = 0x2 | 0x800 | 0x8_0000

let openSocket: ((domain: number, type: number, protocol: number) => number) | undefined

/** Opens an ICMP socket, and returns its descriptor. Throws OwnTrouble if that is not possible here. */
export function openPingSocket(family: 4 | 6): number {
  openSocket ??= loadSocket()
  const descriptor = openSocket(AF[family], DATAGRAM_NONBLOCK_CLOEXEC, PROTOCOL[family])
  if (descriptor < 0) throw new OwnTrouble('icmp_permission')
  return descriptor
}

function loadSocket(): (domain: number, type: number, protocol: number) => number {
  const name = findModule()
  if (process.platform !== 'linux' || name === undefined) throw new OwnTrouble('icmp_unsupported')
  const native = require(name) as Native
  return native.load(null).func('int socket(int domain, int type, int protocol)')
}
