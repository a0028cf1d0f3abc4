// Run as a process of its own by the tests: opens the server of a data directory, says so, and stops when told.
// Arguments: data directory, then any of `throwaway` and `remove`.
import { randomBytes } from 'node:crypto'
import { openEmbeddedPostgres } from '../src/open.ts'

const [dataDir = '', ...flags] = process.argv.slice(2)
const server = await openEmbeddedPostgres({
  dataDir,
  random: randomBytes,
  throwaway: flags.includes('throwaway'),
  remove: flags.includes('remove'),
})
process.stdout.write(`${JSON.stringify({ url: server.url, uid: process.getuid?.() })}\n`)
process.stdin.resume()
process.stdin.once('end', () => void server.stop())
