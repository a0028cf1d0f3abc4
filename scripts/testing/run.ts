// Starts a program in the root of the repository and waits for its end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const bin = (name: string): string => join(root, 'node_modules', '.bin', name)

export interface RunResult {
  /** Exit code of the program. 1 if a signal ended it, or if it could not start. */
  readonly code: number
  /** Output of the program, if it was piped. */
  readonly said: string
}

export async function run(
  [program = '', ...args]: readonly string[],
  output: 'pipe' | 'inherit',
  env: Record<string, string> = {},
): Promise<RunResult> {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    shell: process.platform === 'win32',
  })
  let said = ''
  const hear = (chunk: Buffer) => {
    said += chunk.toString()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  // Ctrl-C also reaches the program. When the program ends, this process continues with the results so far.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  const ignore = () => {}
  process.on('SIGINT', ignore).on('SIGTERM', pass)
  const code = await once(child, 'close').then(
    ([status]) => (status as number | null) ?? 1,
    (error: Error) => {
      said += error.message
      return 1
    },
  )
  process.off('SIGINT', ignore).off('SIGTERM', pass)
  return { code, said }
}
