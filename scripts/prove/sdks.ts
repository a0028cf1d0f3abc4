// Proves that the SDKs work as users get them: packed, installed into an empty project, imported and required on every
// supported Node (downloaded through npm), compiled by a strict program, bundled for a browser and a worker. The code of
// their READMEs and the example agent run on each of these Nodes, with a real server.
// npm run prove -- sdks
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  bundleIn,
  compileIn,
  emptyProject,
  installNode,
  packSdk,
  SDKS,
  useOn,
} from '../../packages/server/test/packaging/sdk-projects.ts'
import { readFlags } from '../lab/proof.ts'

/** Oldest supported version, and newest version of each line. */
const NODES = ['20.19.0', '20', '22', '24']

const TEST = fileURLToPath(new URL('../test.js', import.meta.url))

readFlags({})
const folder = await mkdtemp(join(tmpdir(), 'dogwatch-sdks-'))
try {
  const tarballs = await Promise.all(SDKS.map(packSdk))
  const project = await emptyProject(tarballs, folder)
  const nodes: string[] = []
  for (const wanted of NODES) {
    const node = await installNode(wanted, folder)
    nodes.push(node)
    const version = await useOn(node, project)
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
  const tests = ['packaging/readmes', 'packaging/example-agent', '--maxWorkers=1']
  const env = { ...process.env, DOGWATCH_TEST_RUNTIMES: nodes.join(',') }
  const { status } = spawnSync(process.execPath, [TEST, ...tests], { env, stdio: 'inherit' })
  if (status !== 0) throw new Error('the READMEs or the example agent failed, see above')
} finally {
  await rm(folder, { recursive: true, force: true })
}
