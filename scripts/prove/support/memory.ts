// The memory of processes, from /proc, in bytes.
import { readFileSync } from 'node:fs'
import { childrenOf } from '../../lab/cpu.ts'

export interface MemoryOf {
  pid: number
  postmaster: number
}

/** Of the server, the resident memory; of all processes of Postgres together, their private memory. */
export function memoryOf({ pid, postmaster }: MemoryOf): { server: number; postgres: number } {
  const processes = [postmaster, ...childrenOf(postmaster)]
  return {
    server: statusOf(pid, 'VmRSS') * 1024,
    postgres: processes.reduce((sum, each) => sum + privateMemory(each), 0),
  }
}

/** A number in what the system says of a process. */
export function statusOf(pid: number, field: string): number {
  return Number(new RegExp(`^${field}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

/** Shared pages belong to all of them, and fill up to a limit. */
function privateMemory(pid: number): number {
  try {
    return Number(/^Pss_Anon:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
