// Starts the process that ends a throwaway server if this process dies without doing so.
import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Leaving } from './leave.ts'

/** Starts the guard process. It ends the server when the pipe to this process closes, even if this process is killed. */
export function guardThrowaway(leaving: Leaving): ChildProcess {
  const program = new URL(`./guard-process${extname(import.meta.url)}`, import.meta.url)
  const child = spawn(process.execPath, [fileURLToPath(program), JSON.stringify(leaving)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => {})
  child.unref()
  // Neither the guard nor its pipe may keep this process alive.
  ;(child.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  return child
}
