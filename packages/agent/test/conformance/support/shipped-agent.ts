// Our agent as a server hands it out: in two files. A test that starts it by the dozen would spend most of its time on finding and
// reading the two hundred files of a build.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { entriesFor } from '../../../packaging/archive.ts'
import { bundleAgent } from '../../../packaging/bundle.ts'
import { platformHere } from '../../../packaging/node-binaries.ts'

/** Puts it into a folder; returns the path of the program. The Node is that of the tests. */
export async function putShippedAgent(folder: string): Promise<string> {
  const node = { name: 'node', version: process.versions.node, path: process.execPath }
  for (const { path, content } of await entriesFor(platformHere(), await bundleAgent(), node)) {
    if (!path.startsWith('lib/') || !(content instanceof Uint8Array)) continue
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
  return join(folder, 'lib', 'main.js')
}
