// Makes the archive of the server for the platform of this machine, with Node, Postgres and the agents that the server offers.
import { execFile } from 'node:child_process'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { writeArchive } from '../../agent/packaging/archive.ts'
import { platformHere } from '../../agent/packaging/node-binaries.ts'
import { withLock } from '../../../scripts/lock.js'
import { contentsFor, readVersion } from './contents.ts'

const FOLDER = fileURLToPath(new URL('../archives/', import.meta.url))
const AGENTS = fileURLToPath(new URL('../../agent/archives/', import.meta.url))
const MAKE_AGENTS = fileURLToPath(new URL('../../agent/packaging/make.ts', import.meta.url))

const { values: flags } = parseArgs({
  options: {
    out: { type: 'string', default: FOLDER },
    agents: { type: 'string', default: AGENTS },
  },
})

try {
  await withLock(join(flags.out, '.lock'), () => make(flags.out, flags.agents))
} catch (error) {
  process.stderr.write(`bundle: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function make(folder: string, agents: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  // For this platform, and for those that there are already.
  const words = ['--disable-warning=ExperimentalWarning', MAKE_AGENTS, '--out', agents]
  await promisify(execFile)(process.execPath, words)
  const [platform, version] = [platformHere(), await readVersion()]
  const name = `dogwatch-${version}-${platform}`
  const began = performance.now()
  const draft = join(folder, `.${name}.tmp`)
  const { size, sha256 } = await writeArchive(draft, name, await contentsFor(platform, version, agents))
  const file = `${name}.tar.gz`
  await rename(draft, join(folder, file))
  await writeFile(join(folder, 'SHA256SUMS'), `${sha256}  ${file}\n`)
  const took = ((performance.now() - began) / 1000).toFixed(1)
  process.stderr.write(`bundle: ${file}, ${(size / 1e6).toFixed(1)} MB, in ${took} s\n`)
}
