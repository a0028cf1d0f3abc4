// Starts the process that ends a throwaway server if ours dies without doing so.
import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Leaving } from './leave.ts'

/** Starts the guard process. It acts when the pipe to us closes, however we end. */
export function guardThrowaway(leaving: Leaving): ChildProcess {
  const program = new URL(`./guard-process${extname(import.meta.url)}`, import.meta.url)
  const child = spawn(process.execPath, [fileURLToPath(program), JSON.stringify(leaving)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => {})
  child.unref()
  // Neither the process nor its pipe may keep ours alive.
  ;(child.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  return child
}
