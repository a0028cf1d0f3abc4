// Finds the archives of the agent. A checkout builds them at the first request for one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ArchiveFolder } from '@dogwatch/api/install/archives'
import type { Log } from '@dogwatch/runtime/log'

// Works from src/ and from dist/, which are equally deep.
const AGENT = new URL('../../../agent/', import.meta.url)
const FOLDER = fileURLToPath(new URL('archives/', AGENT))
/** Program that builds the archives. Absent in an image, which contains the archives. */
const PROGRAM = fileURLToPath(new URL('packaging/make.ts', AGENT))
const BUNDLER = fileURLToPath(new URL('../../node_modules/esbuild/package.json', AGENT))
/** Maximum time in milliseconds that a request waits for the build. After that, it gets the existing archives. */
const WAIT_MS = 50_000
const MOST_MS = 300_000

/** Opens the folder with the archives. If `made_elsewhere` is set, serves that folder unchanged. */
export function openAgentArchives(
  log: Log,
  made_elsewhere?: string,
): { folder: ArchiveFolder; close: () => Promise<void> } {
  const ending = new AbortController()
  const canMake = existsSync(PROGRAM) && existsSync(BUNDLER)
  const folder =
    made_elsewhere === undefined
      ? new ArchiveFolder(FOLDER, canMake ? () => make(log, ending.signal) : undefined)
      : new ArchiveFolder(made_elsewhere)
  return { folder, close: async () => ending.abort() }
}

async function make(log: Log, ending: AbortSignal): Promise<void> {
  const waited = AbortSignal.timeout(WAIT_MS)
  const made = run(AbortSignal.any([ending, AbortSignal.timeout(MOST_MS)])).catch((error: unknown) => {
    if (!ending.aborted) log.warn({ err: error }, 'could not build the agent archives')
  })
  await Promise.race([made, once(waited, 'abort')])
}

async function run(signal: AbortSignal): Promise<void> {
  const words = ['--disable-warning=ExperimentalWarning', PROGRAM]
  const child = spawn(process.execPath, words, { signal, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2_000)))
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`the build exited with code ${String(code)}: ${said.trim()}`)
}
