// Reads the CPU time of processes from /proc, because the CPU time of a request does not depend on how long the request waits.
import { readdirSync, readFileSync } from 'node:fs'
import { sum } from './proof.ts'

/** Something whose CPU time can be read, in seconds since it began. */
export interface Meter {
  readonly name: string
  seconds(): number
}

// Ticks per second in /proc. Linux reports times to programs in this unit, whatever the kernel's own tick is.
const TICKS_PER_SEC = 100
/** Positions of fields in /proc/PID/stat, counted after the name of the program. */
const [PPID, UTIME, STIME, CUTIME, CSTIME] = [1, 11, 12, 13, 14]

export const ownMeter: Meter = {
  name: 'bench',
  seconds: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  },
}

/** Measures a process with all its threads. */
export function processMeter(name: string, pid: number): Meter {
  return { name, seconds: () => secondsIn(statOf(pid), UTIME, STIME) }
}

/** Measures a Postgres server: its main process, all child processes, and those that have ended. */
export function postgresMeter(postmaster: number): Meter {
  return {
    name: 'postgres',
    seconds: () => {
      const living = childStats(postmaster).map(([, stat]) => secondsIn(stat, UTIME, STIME))
      return sum([...living, secondsIn(statOf(postmaster), UTIME, STIME, CUTIME, CSTIME)])
    },
  }
}

/** Meter of everything that runs on this machine, without idle time. */
export const machineMeter: Meter = {
  name: 'machine',
  seconds: () => {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.split(/\s+/).slice(1).map(Number)
    return (user + nice + system + irq + softirq) / TICKS_PER_SEC
  },
}

/** Returns the peak resident memory of a process, in MB (10^6 bytes). */
export function peakMemory(pid: number): number {
  return (statusOf(pid, 'VmHWM') * 1024) / 1e6
}

export function parentOf(pid: number): number {
  return Number(statOf(pid)?.[PPID])
}

/** Lists the children of a process. */
export function childrenOf(parent: number): number[] {
  return childStats(parent).map(([pid]) => pid)
}

function childStats(parent: number): [pid: number, stat: string[]][] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const stat = statOf(Number(pid))
    return stat && Number(stat[PPID]) === parent ? [[Number(pid), stat] as [number, string[]]] : []
  })
}

/** Reads the fields after the program's name, which may contain spaces. Returns undefined if the process has ended. */
function statOf(pid: number): string[] | undefined {
  const text = readIfThere(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

function secondsIn(stat: string[] | undefined, ...fields: number[]): number {
  return sum(fields.map((field) => Number(stat?.[field] ?? 0))) / TICKS_PER_SEC
}

/** Returns a number from /proc/PID/status. */
export function statusOf(pid: number, field: string): number {
  const found = new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  if (found === undefined) throw new Error(`the status of process ${pid} has no ${field}`)
  return Number(found)
}

/** Returns the resident memory of a server, and the private memory of all Postgres processes together, in bytes. */
export function memoryOf(pid: number, postmaster: number): { server: number; postgres: number } {
  const privateOf = (each: number) =>
    Number(/^Pss_Anon:\s*(\d+)/m.exec(readIfThere(`/proc/${each}/smaps_rollup`) ?? '')?.[1] ?? 0) * 1024
  const postgres = sum([postmaster, ...childrenOf(postmaster)].map(privateOf))
  return { server: statusOf(pid, 'VmRSS') * 1024, postgres }
}
