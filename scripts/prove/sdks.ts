// Proves that the SDKs work as users get them: packed, installed into an empty project, imported and required on every
// supported Node (downloaded through npm), compiled by a strict program, bundled for a browser and a worker. The code of
// their READMEs and the example agent run on each of these Nodes, with a real server.
// npm run prove -- sdks
import {
  bundleIn,
  compileIn,
  emptyProject,
  installNode,
  packSdk,
  SDKS,
  useOn,
} from '../../packages/server/test/packaging/sdk-projects.ts'
import { openFolder, readFlags, runProof } from '../lab/proof.ts'
import { runSuites } from '../lab/suites.ts'

readFlags({})
/** Versions of Node: the oldest supported one, and the newest one of each major version. */
const NODES = ['20.19.0', '20', '22', '24']

await runProof('sdks', 1_800_000, async (undo) => {
  const folder = await openFolder(undo)
  const project = await emptyProject(await Promise.all(SDKS.map(packSdk)), folder)
  const [nodes, figures]: [string[], string[]] = [[], []]
  for (const wanted of NODES) {
    const node = await installNode(wanted, folder)
    nodes.push(node)
    figures.push(`imported, required and commanded on ${await useOn(node, project)}`)
  }
  await compileIn(project, ['es2023'], ['node'])
  await compileIn(project, ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], [])
  for (const sdk of SDKS) {
    for (const runtime of ['browser', 'worker'] as const) {
      const { entryBytes } = await bundleIn(project, sdk, runtime)
      figures.push(`${sdk}: bundled for a ${runtime}, ${entryBytes} bytes of gzip for one call`)
    }
  }
  const tests = ['packaging/readmes', 'packaging/example-agent', '--maxWorkers=1']
  const { passed, failures } = await runSuites(tests, { DOGWATCH_TEST_RUNTIMES: nodes.join(',') })
  return { figures, faults: [...failures, passed === 0 && 'no test of the READMEs and the example agent ran'] }
})
