// Proves that both SDKs work as users get them: packed, installed into an empty project, imported and required on every
// supported Node (downloaded through npm), compiled by a strict program, bundled for a browser and a worker.
// npm run prove -- sdks
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFlags } from '../lab/proof-flags.ts'
import {
  bundleIn,
  compileIn,
  emptyProject,
  installNode,
  packSdk,
  SDKS,
  useOn,
} from '../../packages/server/test/packaging/sdk-projects.ts'

/** The oldest that is supported, and the newest of each line. */
const NODES = ['20.19.0', '20', '22', '24']

readFlags({})
const folder = await mkdtemp(join(tmpdir(), 'dogwatch-sdks-'))
try {
  const tarballs = await Promise.all(SDKS.map((sdk) => packSdk(sdk, folder)))
  const project = await emptyProject(tarballs, folder)
  for (const wanted of NODES) {
    const version = await useOn(await installNode(wanted, folder), project)
    process.stdout.write(`node@${wanted}: imported, required and commanded on ${version}\n`)
  }
  await compileIn(project, ['es2023'], ['node'])
  await compileIn(project, ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], [])
  process.stdout.write('compiled by a strict program, for Node and for a browser\n')
  for (const sdk of SDKS) {
    for (const runtime of ['browser', 'worker'] as const) {
      const { entryBytes } = await bundleIn(project, sdk, runtime)
      process.stdout.write(`${sdk}: bundled for a ${runtime}, ${entryBytes} bytes of gzip for one call\n`)
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true })
}
