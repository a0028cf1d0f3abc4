// The server as its archives hand it out: in a few files. Half of what a start of the built one costs is finding and reading a thousand
// modules, and tests start it by the dozen. What a build does by itself is tried where `dogwatch serve` is (commands/serve.test.ts), and
// by `npm start` (commands/start.test.ts).
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from '../../../../scripts/lock.js'
import { ROOMS } from '../../../../scripts/testing/laws.ts'
import { bundleServer, roomsIn } from '../../packaging/bundle.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/** Below the packages that it finds beside itself, and as deep as in a checkout. */
const FOLDER = join(ROOT, '.cache', 'shipped')
const STAMP = join(FOLDER, 'stamp')
const BUILT = ['server', ...ROOMS, 'contract', 'check-rules', 'monitor-sdk', 'config-sdk']
/** What a server reads besides its code. */
const BESIDE = ['packages/channels/assets', 'packages/console/assets', 'packages/store/src', 'packages/agent']

/** The path of the command. It is made with the first that asks, of what is built. */
export async function shippedServer(): Promise<string> {
  const wanted = fingerprint()
  const isMade = () => existsSync(STAMP) && readFileSync(STAMP, 'utf8') === wanted
  if (!isMade()) await withLock(`${FOLDER}.lock`, async () => void (isMade() || (await make(wanted))))
  return join(FOLDER, 'packages', 'server', 'dist', 'bin', 'dogwatch.js')
}

async function make(wanted: string): Promise<void> {
  const { code } = await bundleServer()
  rmSync(FOLDER, { recursive: true, force: true })
  const put = (path: string, text: string): void => {
    const file = join(FOLDER, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const [path, text] of code) put(join('packages', path), text)
  for (const name of ['server', ...roomsIn(code)]) {
    put(`packages/${name}/package.json`, readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'))
  }
  for (const path of BESIDE) {
    mkdirSync(dirname(join(FOLDER, path)), { recursive: true })
    symlinkSync(join(ROOT, path), join(FOLDER, path), 'junction')
  }
  // Last, and at once: who finds it finds all.
  writeFileSync(`${STAMP}.new`, wanted)
  renameSync(`${STAMP}.new`, STAMP)
}

function fingerprint(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')))
  for (const name of BUILT) {
    const folder = join(ROOT, 'packages', name, 'dist')
    if (!existsSync(folder))
      throw new Error('nothing is built: run node_modules/.bin/tsc -b packages/*/tsconfig.build.json')
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
      if (!path.endsWith('.js')) continue
      const { mtimeMs, size } = statSync(join(folder, path))
      hash.update(`${path}\0${mtimeMs}\0${size}\0`)
    }
  }
  return hash.digest('hex')
}
