// The server as people run it: a process of its own, as it is built, on a database that is there.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Ends it as an operator would, and waits for its end. */
  stop(): Promise<void>
}

const PROGRAM = fileURLToPath(new URL('../../dist/bin/dogwatch.js', import.meta.url))

/** Starts `dogwatch serve` with nothing but these settings, and waits until it listens. */
export async function startServer(
  settings: Readonly<Record<string, string>>,
  role: 'all' | 'web' = 'web',
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--role', role], {
    env: { PATH: process.env.PATH ?? '', PORT: '0', LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  const ended = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const found = /listening on (\S+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('error', reject)
    void ended.then(() => reject(new Error(`the server ended before it listened: ${said}`)))
  })
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
