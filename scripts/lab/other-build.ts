// The build of another commit, made like a new developer would: its files in an empty folder, its dependencies, its
// program.
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { SERVER_FLAGS } from '../server-flags.js'

export interface OtherBuild {
  /** The path of its program `dogwatch`. */
  program: string
  /** The folder of its compiled server. */
  dist: string
  /** Loads a module of it, by its path in the repository. The caller's type is that of ours, which the other may differ from. */
  load<Module>(path: string): Promise<Module>
}

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export function makeBuildOf(commit: string, folder: string): OtherBuild {
  const cwd = join(folder, 'build')
  mkdirSync(cwd, { mode: 0o700 })
  process.stdout.write(`making the build of ${commit}; that takes a minute\n`)
  const files = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x'], { cwd, input: files })
  execFileSync('npm', ['ci', '--silent'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  // The command builds what it needs before it runs.
  execFileSync('npx', ['dogwatch', '--help'], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
  return buildIn(cwd)
}

/** Returns a build that exists. */
export function buildIn(folder: string): OtherBuild {
  const dist = join(folder, 'packages/server/dist')
  const load = <Module>(path: string) => import(pathToFileURL(join(folder, path)).href) as Promise<Module>
  return { program: join(dist, 'bin/dogwatch.js'), dist, load }
}

/** Migrates once, by the command. */
export async function migrateWith(program: string, url: string): Promise<void> {
  const env = { PATH: process.env.PATH, DATABASE_URL: url }
  const { stdout } = await run(process.execPath, [...SERVER_FLAGS, program, 'migrate'], { env })
  const { applied } = JSON.parse(stdout) as { applied: string[] }
  process.stdout.write(`applied ${applied.join(', ') || 'nothing'}\n`)
}
