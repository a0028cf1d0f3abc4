// The installer and the archives, without root and without a network beyond this machine. The proof `install` has the rest.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from '@jest/globals'
import { type Entry, writeArchive } from '../../packaging/archive.ts'
import { tempDir } from '../agent/support/temp-dir.ts'

const PACKAGING = fileURLToPath(new URL('../../packaging/', import.meta.url))
const UNPLEASANT = `it's "4" $(id) \`id\` \\ ; & é`
const ending: (() => void)[] = []
afterEach(() => ending.splice(0).forEach((end) => end()))

/** An agent that writes down how it was started instead of working. */
const STAND_IN = `#!/bin/sh
[ "\${1-}" != --version ] || exit 0
echo "$*: name \${DOGWATCH_AGENT_NAME-none}, region $DOGWATCH_AGENT_REGION, token $(cat)" >> "$DOGWATCH_AGENT_STATE_DIR/runs"
touch "$DOGWATCH_AGENT_STATE_DIR/identity.json"
`

interface Offered {
  dir: string
  /** Programs in here are found before any other. */
  bin: string
  run: (token: string, ...args: string[]) => Promise<{ code: number | null; said: string }>
  installed: (path: string) => Promise<string>
}

/** A server that offers one archive, and the installer that it has filled in. */
async function offer(version: string, dir: string, breakIt = (bytes: Buffer) => bytes): Promise<Offered> {
  const own = async (path: string, name: string): Promise<Entry> => ({
    path,
    mode: 0o755,
    content: await readFile(join(PACKAGING, name)),
  })
  const entries = [
    { path: 'bin/dogwatch-agent', mode: 0o755, content: Buffer.from(STAND_IN) },
    await own('lib/uninstall.sh', 'uninstall.sh'),
    { path: 'VERSION', mode: 0o644, content: Buffer.from(`${version}\n`) },
  ]
  const archive = join(dir, `${version}.tar.gz`)
  await writeArchive(archive, 'agent', entries)
  const bytes = await readFile(archive)
  const server = createServer((_, res) => res.end(breakIt(bytes)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ending.push(() => server.close())
  const platform = `${process.platform}-${process.arch}`
  const sum = createHash('sha256').update(bytes).digest('hex')
  const filled = (await readFile(join(PACKAGING, 'install.sh'), 'utf8'))
    .replace('@SERVER@', `'http://127.0.0.1:${(server.address() as AddressInfo).port}'`)
    .replace('@VERSION@', `'${version}'`)
    .replace('@ARCHIVES@', `${platform} ${sum} ${version}.tar.gz`)
  const script = join(dir, 'install.sh')
  await writeFile(script, filled)
  return {
    dir,
    bin: join(dir, 'bin'),
    run: async (token, ...args) => {
      const child = spawn('sh', [script, '--prefix', join(dir, 'agent'), ...args], {
        env: { ...process.env, PATH: `${join(dir, 'bin')}:${process.env.PATH ?? ''}` },
        stdio: ['pipe', 'pipe', 'pipe'],
      })
      child.stdin.end(token)
      const [[code], out, err] = await Promise.all([once(child, 'exit'), textOf(child.stdout), textOf(child.stderr)])
      return { code: code as number | null, said: out + err }
    },
    installed: (path) => readFile(join(dir, 'agent', path), 'utf8'),
  }
}

const PLACE = ['--region', 'eu', '--country', 'DE', '--city', 'Kiel']

test.each(['install.sh', 'uninstall.sh', 'launcher.sh'])('%s is what a POSIX shell reads', (name) => {
  for (const shell of ['sh', 'bash']) execFileSync(shell, ['-n', join(PACKAGING, name)])
})

test('an archive keeps long paths, programs and links, and its bytes follow from its content', async () => {
  const dir = await tempDir()
  const long = `share/${'timezone/'.repeat(14)}Argentina`
  const entries: Entry[] = [
    { path: long, mode: 0o644, content: Buffer.from('far away') },
    { path: 'bin/program', mode: 0o755, content: Buffer.from('#!/bin/sh\necho runs\n') },
    { path: 'bin/link', mode: 0o644, content: { link: 'program' } },
  ]
  const file = join(dir, 'a.tar.gz')
  const first = await writeArchive(file, 'dogwatch', entries)
  expect(await writeArchive(file, 'dogwatch', entries)).toEqual(first)
  execFileSync('tar', ['-xzf', file, '-C', dir])
  expect(await readFile(join(dir, 'dogwatch', long), 'utf8')).toBe('far away')
  expect(execFileSync(join(dir, 'dogwatch/bin/link')).toString()).toBe('runs\n')
  const tooLong = writeArchive(file, 'dogwatch', [{ path: 'x'.repeat(101), mode: 0o644, content: Buffer.alloc(0) }])
  await expect(tooLong).rejects.toThrow('too long for an archive')
})

describe('the installer', () => {
  test('installs, and hands the token to the agent on standard input, never as an argument', async () => {
    const { run, installed } = await offer('1.0.0', await tempDir())
    const { code, said } = await run('the-token\n', '--name', UNPLEASANT, ...PLACE)
    expect([code, said]).toEqual([0, expect.stringContaining('the checksum is right')])
    expect(await installed('state/runs')).toBe(`enroll: name ${UNPLEASANT}, region eu, token the-token\n`)
    expect(await installed('agent.env')).not.toContain('the-token')
    expect(await installed('current/VERSION')).toBe('1.0.0\n')
  })

  test('run again it upgrades, and keeps settings, state and the release before', async () => {
    const dir = await tempDir()
    await (await offer('1.0.0', dir)).run('t', '--name', 'rack 4', ...PLACE)
    const next = await offer('1.1.0', dir)
    expect((await next.run('', '--region', 'us')).code).toBe(0)
    expect(await next.installed('current/VERSION')).toBe('1.1.0\n')
    expect(await next.installed('state/runs')).toBe(
      'enroll: name rack 4, region eu, token t\nenroll: name rack 4, region us, token \n',
    )
    await (await offer('1.2.0', dir)).run('')
    expect(
      execFileSync('ls', [join(dir, 'agent/releases')])
        .toString()
        .match(/^1\.\d/gm),
    ).toEqual(['1.1', '1.2'])
  })

  test('with a wrong checksum nothing is installed', async () => {
    const { dir, run } = await offer('1.0.0', await tempDir(), (bytes) => Buffer.concat([bytes, Buffer.from('x')]))
    const { code, said } = await run('t', ...PLACE)
    expect([code, said]).toEqual([1, expect.stringMatching(/the checksum of .* is wrong: .* Nothing was installed\./)])
    expect(execFileSync('ls', [join(dir, 'agent')]).toString()).toBe('')
  })

  test('an upgrade that cannot be unpacked leaves the old one in place', async () => {
    const dir = await tempDir()
    const first = await offer('1.0.0', dir)
    await first.run('t', ...PLACE)
    await mkdir(first.bin)
    await writeFile(join(first.bin, 'tar'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect((await (await offer('1.1.0', dir)).run('')).code).not.toBe(0)
    expect(await first.installed('current/VERSION')).toBe('1.0.0\n')
  })

  test('without a place, it says what is missing before it downloads', async () => {
    const { run } = await offer('1.0.0', await tempDir())
    expect(await run('t', '--region', 'eu')).toEqual({
      code: 1,
      said: 'dogwatch: the location of this machine is missing; pass --region, --country and --city\n',
    })
  })

  test('uninstall removes it and keeps what was not uploaded; --purge removes that, too', async () => {
    const { dir, run } = await offer('1.0.0', await tempDir())
    await run('t', ...PLACE)
    const uninstall = (...args: string[]) =>
      execFileSync('sh', [join(PACKAGING, 'uninstall.sh'), ...args], { cwd: dir }).toString()
    const release = () =>
      execFileSync('readlink', [join(dir, 'agent/current')])
        .toString()
        .trim()
    expect(uninstall(release())).toContain('the agent is uninstalled')
    expect(execFileSync('ls', [join(dir, 'agent')]).toString()).toBe('state\n')
    await run('', ...PLACE)
    uninstall(release(), '--purge')
    expect(execFileSync('ls', [dir]).toString()).toBe('1.0.0.tar.gz\ninstall.sh\n')
  })
})

test('an archive is read by tar, belongs to root, and has the same bytes every time', async () => {
  const dir = await tempDir()
  await writeFile(join(dir, 'node'), 'x'.repeat(700))
  const entries = [
    { path: 'bin/node', mode: 0o755, content: join(dir, 'node') },
    { path: 'VERSION', mode: 0o644, content: Buffer.from('1\n') },
  ]
  const sums = await Promise.all(['a', 'b'].map((name) => writeArchive(join(dir, name), 'agent', entries)))
  expect(sums[0]).toEqual(sums[1])
  const listed = execFileSync('tar', ['-tvzf', join(dir, 'a')], { env: { TZ: 'UTC', PATH: process.env.PATH } })
  expect(listed.toString().replaceAll(/ +/g, ' ')).toBe(
    '-rwxr-xr-x root/root 700 1970-01-01 00:00 agent/bin/node\n-rw-r--r-- root/root 2 1970-01-01 00:00 agent/VERSION\n',
  )
})
