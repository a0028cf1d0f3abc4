// Programs from Debian packages, unpacked into a folder of ours: nothing is installed and no service starts.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { say } from '../../lab/stage.ts'

const run = promisify(execFile)
const CACHE = fileURLToPath(new URL('../../../.cache/bench-debian', import.meta.url))
const ROOT = join(CACHE, 'root')
const LIMIT_MS = 120_000

/** Callers say what they leave out without these programs. */
export class NotToBeHad extends Error {}

/** The paths of files from these packages, which are downloaded once. */
export async function fromDebian<Name extends string>(
  packages: readonly string[],
  files: Readonly<Record<Name, string>>,
): Promise<Record<Name, string>> {
  const paths = Object.fromEntries(
    Object.entries<string>(files).map(([name, file]) => [name, join(ROOT, file)]),
  ) as Record<Name, string>
  const isHere = (): boolean => Object.values<string>(paths).every((path) => existsSync(path))
  if (isHere()) return paths
  say(`downloading from Debian: ${packages.join(' ')}`)
  try {
    await unpack(packages)
  } catch (error) {
    throw new NotToBeHad(`apt-get does not give ${packages.join(' ')} here (${firstLine(error)})`)
  }
  if (!isHere()) throw new NotToBeHad(`${packages.join(' ')} of this Debian is made otherwise`)
  return paths
}

async function unpack(packages: readonly string[]): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const options = { cwd: CACHE, timeout: LIMIT_MS }
  const download = () => run('apt-get', ['-q', 'download', ...packages], options)
  // A machine made from an image often has no package lists yet.
  await download().catch(async (error: unknown) => {
    if (process.getuid?.() !== 0) throw error
    await run('apt-get', ['-q', 'update'], options)
    await download()
  })
  const archives = (await readdir(CACHE)).filter((file) => file.endsWith('.deb'))
  for (const archive of archives) await run('dpkg', ['-x', archive, ROOT], options)
}

function firstLine(error: unknown): string {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return (stderr.trim() || message).split('\n')[0] ?? ''
}
