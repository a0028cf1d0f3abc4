// A disk that is really full, and has room again.
import { spawn } from 'node:child_process'
import { json } from 'node:stream/consumers'
import { afterEach, expect } from '@jest/globals'
import { asRoot } from './support/as-root.ts'
import { tempDir } from './support/temp-dir.ts'

const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

/** A process that sees a disk of 3 MiB in the place of `dir`. */
async function onSmallDisk(program: string): Promise<unknown> {
  const dir = await tempDir()
  const mounted = 'mount -t tmpfs -o size=3m tmpfs "$1" && exec "$2" "$3" "$1"'
  const child = spawn('unshare', ['-m', 'sh', '-c', mounted, 'sh', dir, process.execPath, program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  ending.push(() => child.kill('SIGKILL'))
  return json(child.stdout)
}

const range = (to: number) => Array.from({ length: to }, (_, n) => n)

asRoot('while a disk is full what lies on it goes first, and nothing is passed over', async () => {
  const program = new URL('support/full-disk-child.ts', import.meta.url).pathname
  expect(await onSmallDisk(program)).toEqual({
    full: { size: 1000, uploaded: 400 },
    uploaded: range(1000),
    size: 0,
    bytes: 0,
    events: ['disk_failed', 'disk_works_again'],
  })
})
