// Starts a real browser that npm installs: the tests download nothing else, and need no installed browser.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium as driver } from 'playwright-core'
import { withLock } from '../lock.js'

const require = createRequire(import.meta.url)
const CACHE = fileURLToPath(new URL('../../.cache/', import.meta.url))
/** Variable with the path of another browser to use. */
const SETTING = 'DOGWATCH_TEST_CHROMIUM'
/** Paths of browsers, for machines that cannot run the packaged one. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
// Tests open nothing but our own pages, so root needs no sandbox.
const FLAGS = ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none']

/** Starts the browser. Throws if there is none that starts on this machine. */
export async function launchChromium(): Promise<Browser> {
  const given = process.env[SETTING]
  if (given === undefined && process.platform === 'linux' && process.arch === 'x64') {
    const directory = await unpack()
    const libraries = { LD_LIBRARY_PATH: join(directory, 'al2023', 'lib') }
    const env = { ...process.env, ...libraries, FONTCONFIG_FILE: join(directory, 'fonts.conf') }
    return driver.launch({ executablePath: join(directory, 'chromium'), args: FLAGS, env })
  }
  const executablePath = given ?? INSTALLED.find((file) => existsSync(file))
  if (executablePath === undefined) throw new Error('none is installed, and npm has none for this machine')
  return driver.launch({ executablePath, args: FLAGS })
}

/**
 * Unpacks the packaged browser, once for each source tree. Unpacking takes two seconds of a processor, and several processes may
 * need it at once.
 */
async function unpack(): Promise<string> {
  const manifest = join(dirname(require.resolve('@sparticuz/chromium')), '..', 'package.json')
  const { version } = require(manifest) as { version: string }
  const directory = join(CACHE, `chromium-${version}`)
  if (existsSync(directory)) return directory
  await withLock(`${directory}.lock`, async () => {
    if (existsSync(directory)) return
    const half = await mkdtemp(`${directory}-`)
    try {
      await unpackInto(half)
      await writeFile(join(half, 'fonts.conf'), fontsConf(directory))
      await rename(half, directory)
    } finally {
      await rm(half, { recursive: true, force: true })
    }
  })
  return directory
}

async function unpackInto(directory: string): Promise<void> {
  const module = pathToFileURL(require.resolve('@sparticuz/chromium')).href
  const program = `const { default: chromium } = await import('${module}'); await chromium.executablePath()`
  // The package unpacks the browser into the folder for temporary files. It unpacks the libraries only if it seems to run in AWS
  // Lambda.
  const env = { PATH: process.env.PATH ?? '', TMPDIR: directory, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], { env })
}

/** Returns a configuration with the packaged fonts, and those of the machine for missing characters. */
function fontsConf(directory: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(directory, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <cachedir>${join(directory, 'fonts-cache')}</cachedir>
</fontconfig>
`
}
