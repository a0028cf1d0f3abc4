// Proves that each kind of check works with real servers: starts those of Debian that are installed, and those that npm installs, and runs
// checks of them with the agent. Needs root, npm, and servers of the files in kinds/.
// npm run prove -- kinds [--only SERVER]
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mint } from '../../packages/agent/test/support/certificates.ts'
import { SCHEME_ROWS } from '../../packages/check-rules/dist/schemes.js'
import { openFolder, readFlags, runProof, type Undo } from '../lab/proof.ts'
import { runOnce, startTarget } from '../lab/targets.ts'
import { APPS } from './kinds/apps.ts'
import { SERVERS, type ServerRow } from './kinds/servers.ts'

const { only } = readFlags({ only: { type: 'string' } })
/** Validity of the test certificate, in milliseconds. Some checks have rules about it. */
const VALID_MS = 30 * 86_400_000

type Certificates = Awaited<ReturnType<typeof mintCertificates>>

const kinds = SCHEME_ROWS.flatMap(({ name, judged_by }) => (judged_by === undefined ? [name] : []))
await runProof('kinds', 900_000, async (undo) => {
  const folder = await openFolder(undo)
  const certificates = await mintCertificates(folder)
  const [faults, missing, seen]: [string[], string[], Set<string>] = [[], [], new Set()]
  let outcomes = 0
  for (const [name, row] of Object.entries({ ...SERVERS, ...APPS })) {
    if (only !== undefined && name !== only) continue
    if (!existsSync(row.program)) missing.push(name)
    else {
      const proving = proveServer(row, join(folder, name), certificates, undo)
      const found = await proving.catch((error: unknown) => [{ url: name, found: String(error), isRight: false }])
      for (const { url, found: outcome, isRight } of found) {
        process.stdout.write(`${name}: ${url}: ${outcome}\n`)
        if (isRight) outcomes += 1
        else faults.push(`${name}: ${url}: ${outcome}`)
        if (isRight && outcome === 'ok') seen.add(url.slice(0, url.indexOf(':')))
      }
    }
  }
  if (only === undefined) faults.push(...kinds.filter((kind) => !seen.has(kind)).map((kind) => `${kind}: never ok`))
  const figures = [`${outcomes} outcomes of ${seen.size} kinds`, `not installed: ${missing.join(', ') || 'none'}`]
  return { figures, faults: [...faults, outcomes === 0 && 'no server is installed'] }
})

/** Makes a certificate authority, and a certificate for 127.0.0.1. */
async function mintCertificates(folder: string) {
  const not_after = new Date(Date.now() + VALID_MS)
  const issuer = mint({ name: 'Authority of the proof', is_ca: true, not_after })
  const { cert, key } = mint({ name: '127.0.0.1', for: ['127.0.0.1'], issuer, not_after })
  const files = { CA: issuer.cert, CERT: cert, KEY: key }
  const paths = { CA: join(folder, 'ca.pem'), CERT: join(folder, 'server.pem'), KEY: join(folder, 'server.key') }
  for (const name of ['CA', 'CERT', 'KEY'] as const) await writeFile(paths[name], files[name], { mode: 0o600 })
  return paths
}

async function proveServer(row: ServerRow, folder: string, certificates: Certificates, undo: Undo) {
  const { script } = row
  const ports = script === undefined ? [] : await startTarget({ ...row, script }, folder, undo, certificates)
  const outcomes: { url: string; found: string; isRight: boolean }[] = []
  for (const [target, wanted, how = {}] of row.checks) {
    const url = target.replace(/\{(\d)\}/, (_, n: string) => `127.0.0.1:${ports[Number(n) - 1]}`)
    const found = await runOnce(url, { ...how, ca: how.isStranger ? undefined : certificates.CA })
    const isRight = typeof wanted === 'string' ? found === wanted : wanted.test(found)
    outcomes.push({ url, found: isRight ? found : `${found}, wanted ${String(wanted)}`, isRight })
  }
  return outcomes
}
