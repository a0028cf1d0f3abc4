// Replaces openapi/released/ with the present documents, so that a later removal of what they contain is noticed. With `--check`,
// writes nothing, and ends with 1 if a released document is behind.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bin, root, run } from './testing/run.ts'

const NAMES = ['monitor', 'account', 'config']
const CONFIG = ['--config', 'openapi/redocly.yaml']
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Runs redocly. Throws its output if it fails. */
async function redocly(...args: readonly string[]): Promise<void> {
  const { code, said } = await run([bin('redocly'), ...args, ...CONFIG], 'pipe', QUIET)
  if (code !== 0) throw new Error(said)
}

/** Bundles the present documents into a folder. Returns the names of the documents that differ from the released ones. */
async function listBehind(folder: string): Promise<string[]> {
  const found = await Promise.all(
    NAMES.map(async (name) => {
      const file = join(folder, `${name}.yaml`)
      await redocly('bundle', `openapi/${name}.yaml`, '--output', file)
      const released = join(root, `openapi/released/${name}.yaml`)
      return (await readFile(file, 'utf8')) === (await readFile(released, 'utf8')) ? [] : [name]
    }),
  )
  return found.flat()
}

async function release(): Promise<void> {
  // Compares all documents before it releases any, so that none is released if one has lost something.
  for (const name of NAMES)
    await redocly('diff', `openapi/released/${name}.yaml`, `openapi/${name}.yaml`, '--fail-on', 'major')
  for (const name of NAMES) await redocly('bundle', `openapi/${name}.yaml`, '--output', `openapi/released/${name}.yaml`)
}

const folder = await mkdtemp(join(tmpdir(), 'dogwatch-released-'))
try {
  if (!process.argv.includes('--check')) await release()
  const behind = await listBehind(folder)
  for (const name of behind) console.error(`openapi/released/${name}.yaml is behind: run npm run release-documents`)
  process.exitCode = behind.length > 0 ? 1 : 0
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await rm(folder, { recursive: true })
}
