// Identifies a process, so that a file can name it and a later reader can tell whether the same process is still alive.
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

export interface ProcessIdentity {
  readonly pid: number
  /**
   * Start time of the process in kernel ticks, because a later process can have the same pid. Null if the system does not provide
   * it; Linux does.
   */
  readonly started: string | null
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: startTime(process.pid) }
}

export function isAlive(who: ProcessIdentity): boolean {
  return pidExists(who.pid) && (who.started === null || startTime(who.pid) === who.started)
}

/** Whether a process with this pid is alive. A process that has ended but whose parent has not noticed does not count. */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return !/^[ZX]/.test(statFields(pid)?.[0] ?? '')
}

/** Resolves with true once the process has ended, and with false if it still runs after `limitMs`. */
export async function hasEnded(pid: number, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs
  while (pidExists(pid)) {
    if (performance.now() > end) return false
    await pause(15)
  }
  return true
}

function startTime(pid: number): string | null {
  return statFields(pid)?.[19] ?? null
}

// Returns the fields after the command name, which is in brackets and can itself contain spaces and brackets.
function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
