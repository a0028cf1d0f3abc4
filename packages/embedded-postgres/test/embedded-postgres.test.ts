// The default database server, with real processes that come, go and die.

import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { firstEvent } from '../../../scripts/testing/first-event.ts'
import { freePort } from '../../../scripts/testing/free-port.ts'
import { canReach } from '../src/account.ts'
import type { KeepOptions } from '../src/keep.ts'
import { openEmbeddedPostgres } from '../src/open.ts'
import { pidExists } from '../src/process.ts'

const OPENER = fileURLToPath(new URL('./opener.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const NOBODY = 65534
const dirs: string[] = []
const servers: number[] = []

afterAll(() => {
  for (const pid of servers.filter(isOurs)) process.kill(pid, 'SIGQUIT')
  for (const dir of dirs) rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
})

/** Tests whether a process is one of these servers, because another may have its number by now. */
function isOurs(pid: number): boolean {
  if (!existsSync('/proc')) return pidExists(pid)
  try {
    return readlinkSync(`/proc/${pid}/cwd`).includes('dogwatch-embedded-')
  } catch {
    return false
  }
}

function freshDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'dogwatch-embedded-'))
  // Root's server runs as another user, who walks through here.
  chmodSync(dir, 0o711)
  dirs.push(dir)
  return join(dir, 'data')
}

let made: Promise<string> | undefined

/** A copy of a directory in which a server has run already: making a cluster takes longer than most of what is tried on one. */
async function usedDir(): Promise<string> {
  made ??= (async () => {
    const first = freshDir()
    await (await open(first)).stop()
    return first
  })()
  const dataDir = freshDir()
  execFileSync('cp', ['-a', await made, dataDir])
  // A port that nobody else is given while its server is down.
  writeFileSync(join(dataDir, RECORD), JSON.stringify({ ...recordOf(dataDir), port: await freePort() }))
  return dataDir
}

/** Where a data directory has the place of its server. */
const RECORD = 'postgres.json'
const recordOf = (dataDir: string) =>
  JSON.parse(readFileSync(join(dataDir, RECORD), 'utf8')) as { cluster: string; port: number; password: string }

function open(dataDir: string, keep?: KeepOptions) {
  return openEmbeddedPostgres({ dataDir, random: randomBytes, settings: { fsync: 'off' }, ...(keep && { keep }) })
}

/** How a server is kept, and what is told of it. */
function keeping(): { told: string[]; keep: KeepOptions } {
  const told: string[] = []
  const onFault = (fault: unknown): void => void told.push(String(fault))
  return { told, keep: { every_ms: 20, onRestart: () => void told.push('restart'), onFault } }
}

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

function serverPid(dataDir: string): number {
  const pid = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
  servers.push(pid)
  return pid
}

interface Opener {
  readonly child: ChildProcessWithoutNullStreams
  readonly url: string
  readonly uid: number
}

async function startOpener(args: string[], identity: { uid?: number; gid?: number } = {}): Promise<Opener> {
  const child = spawn(process.execPath, [OPENER, ...args], { stdio: 'pipe', cwd: '/', ...identity })
  const [first] = (await firstEvent(child, child.stdout, 'data')) as [Buffer]
  return { child, ...(JSON.parse(first.toString()) as { url: string; uid: number }) }
}

async function end(opener: Opener, how: 'asked' | 'killed'): Promise<void> {
  const exit = once(opener.child, 'exit')
  if (how === 'asked') opener.child.stdin.end()
  else opener.child.kill('SIGKILL')
  await exit
}

async function eventually(fact: () => boolean, what: string): Promise<void> {
  const limit = performance.now() + 60_000
  while (!fact()) {
    if (performance.now() > limit) throw new Error(`still not so after 60 s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe('a durable server', () => {
  test('starts in an empty directory, keeps its data and can be stopped twice', async () => {
    const dataDir = freshDir()
    const first = await open(dataDir)
    await query(first.url, 'create table kept as select 7 as seven')
    const pid = serverPid(dataDir)
    await Promise.all([first.stop(), first.stop()])
    await first.stop()
    expect(pidExists(pid)).toBe(false)
    expect(recordOf(dataDir)).toMatchObject({ port: Number(new URL(first.url).port) })
    const again = await open(dataDir)
    expect(await query(again.url, 'select seven from kept')).toEqual([{ seven: 7 }])
    await again.stop()
  })

  test('listens on loopback with a password and has no socket file', async () => {
    const dataDir = await usedDir()
    const server = await open(dataDir)
    const url = new URL(server.url)
    expect(url.hostname).toBe('127.0.0.1')
    expect(url.password.length).toBeGreaterThan(40)
    url.password = 'wrong'
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed')
    expect(await query(server.url, `select current_setting('unix_socket_directories') as sockets`)).toEqual([
      { sockets: '' },
    ])
    await server.stop()
  })

  test('a second opener joins, and the last one out ends it', async () => {
    const dataDir = await usedDir()
    const ours = await open(dataDir)
    const pid = serverPid(dataDir)
    const theirs = await startOpener([dataDir])
    expect(theirs.url).toBe(ours.url)
    await ours.stop()
    expect(pidExists(pid)).toBe(true)
    await end(theirs, 'asked')
    expect(pidExists(pid)).toBe(false)
  })

  test('openers that come all at once share one server', async () => {
    const dataDir = freshDir()
    const [first, ...others] = await Promise.all([open(dataDir), open(dataDir), startOpener([dataDir])])
    const pid = serverPid(dataDir)
    expect(others.map((each) => each.url)).toEqual([first.url, first.url])
    await Promise.all([first.stop(), others[0].stop(), end(others[1], 'asked')])
    expect(pidExists(pid)).toBe(false)
  })

  test('an opener that was killed does not count', async () => {
    const dataDir = await usedDir()
    const ours = await open(dataDir)
    const pid = serverPid(dataDir)
    await end(await startOpener([dataDir]), 'killed')
    await ours.stop()
    expect(pidExists(pid)).toBe(false)
  })

  test('a launcher killed with -9 leaves a server that the next open adopts', async () => {
    const dataDir = await usedDir()
    const launcher = await startOpener([dataDir])
    const pid = serverPid(dataDir)
    await end(launcher, 'killed')
    expect(pidExists(pid)).toBe(true)
    const next = await open(dataDir)
    expect(serverPid(dataDir)).toBe(pid)
    await next.stop()
    expect(pidExists(pid)).toBe(false)
  })

  test('a server killed with -9 starts again with what was committed', async () => {
    const dataDir = await usedDir()
    const server = await open(dataDir)
    await query(server.url, 'create table kept as select 7 as seven')
    process.kill(serverPid(dataDir), 'SIGKILL')
    await server.stop()
    const again = await open(dataDir)
    expect(await query(again.url, 'select seven from kept')).toEqual([{ seven: 7 }])
    await again.stop()
  })

  test('a kept server that is killed with -9 runs again at its place, with what was committed, until it is stopped', async () => {
    const dataDir = await usedDir()
    const { told, keep } = keeping()
    const [server, other] = await Promise.all([open(dataDir, keep), open(dataDir, keep)])
    await query(server.url, 'create table kept as select 7 as seven')
    const first = serverPid(dataDir)
    process.kill(first, 'SIGKILL')
    // One of the two starts it again. The other may look before or after that, and sees to it or finds it running.
    await eventually(() => told.includes('restart'), `it runs again: ${told.join()}`)
    expect(new Set(told)).toEqual(new Set(['restart']))
    expect(await query(server.url, 'select seven from kept')).toEqual([{ seven: 7 }])
    await other.stop()
    const second = serverPid(dataDir)
    expect([second === first, pidExists(second)]).toEqual([false, true])
    await server.stop()
    expect(pidExists(second)).toBe(false)
  })

  test('a kept server that cannot be started is told of, and runs again once it can', async () => {
    const dataDir = await usedDir()
    const { told, keep } = keeping()
    const server = await open(dataDir, keep)
    const cluster = join(dataDir, 'postgres')
    const pid = serverPid(dataDir)
    renameSync(cluster, `${cluster}.away`)
    process.kill(pid, 'SIGKILL')
    await eventually(() => told.length > 0, 'it was told')
    expect(told[0]).toBe(`Error: the database at ${cluster} no longer exists`)
    renameSync(`${cluster}.away`, cluster)
    await eventually(() => told.at(-1) === 'restart', 'it runs again')
    expect(await query(server.url, 'select 7 as seven')).toEqual([{ seven: 7 }])
    await server.stop()
  })

  test('a half-made cluster is repaired', async () => {
    const dataDir = freshDir()
    mkdirSync(join(dataDir, 'postgres.new-1', 'base'), { recursive: true })
    mkdirSync(join(dataDir, 'postgres', 'base'), { recursive: true })
    chmodSync(dataDir, 0o711)
    const server = await open(dataDir)
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(existsSync(join(dataDir, 'postgres.new-1'))).toBe(false)
    await server.stop()
  })

  test('a launcher killed during initdb, or just after it, does not stop the next one', async () => {
    const dataDir = freshDir()
    const child = spawn(process.execPath, [OPENER, dataDir], { stdio: 'ignore', cwd: '/' })
    // On a busy machine, it may be over at the first look.
    const begun = [join(dataDir, `postgres.new-${child.pid}`, 'base'), join(dataDir, 'postgres', 'base')]
    await eventually(() => begun.some((path) => existsSync(path)), 'initdb has begun')
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
    const server = await open(dataDir)
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
  })

  test('keeps its port, and takes another one when that is taken', async () => {
    const dataDir = await usedDir()
    const first = await open(dataDir)
    await first.stop()
    const again = await open(dataDir)
    expect(again.url).toBe(first.url)
    await again.stop()
    const port = Number(new URL(first.url).port)
    const squatter = createServer().listen(port, '127.0.0.1')
    await once(squatter, 'listening')
    const second = await open(dataDir)
    expect(new URL(second.url).port).not.toBe(String(port))
    expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await second.stop()
    await new Promise((resolve) => squatter.close(resolve))
  })

  test('of another major version is refused in one line', async () => {
    const dataDir = await usedDir()
    const server = await open(dataDir)
    await server.stop()
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '9\n')
    await expect(open(dataDir)).rejects.toThrow(
      /was created by Postgres 9, but the installed version is \d+; set DATABASE_URL$/,
    )
  })

  test('that cannot start shows the end of its log', async () => {
    const dataDir = await usedDir()
    const wrong = openEmbeddedPostgres({ dataDir, random: randomBytes, settings: { no_such_setting: '1' } })
    await expect(wrong).rejects.toThrow(/no_such_setting/)
  })
})

describe('a throwaway server', () => {
  test('is gone, with its directory, after its launcher was killed with -9', async () => {
    const dataDir = freshDir()
    const launcher = await startOpener([dataDir, 'throwaway', 'remove'])
    const pid = serverPid(dataDir)
    await end(launcher, 'killed')
    await eventually(() => !pidExists(pid), 'the server has ended')
    await eventually(() => !existsSync(dataDir), 'the directory is gone')
  })

  test('stays while another process uses it', async () => {
    const dataDir = await usedDir()
    const launcher = await startOpener([dataDir, 'throwaway'])
    const other = await startOpener([dataDir, 'throwaway'])
    const pid = serverPid(dataDir)
    await end(launcher, 'killed')
    expect(await query(other.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await end(other, 'asked')
    await eventually(() => !pidExists(pid), 'the server has ended')
  })
})

describe('the user it runs as', () => {
  const asRoot = isRoot ? test : test.skip
  // Who works in a folder that is closed to others has a Node that only they can run.
  const asAnybody = isRoot && canReach({ uid: NOBODY, gid: NOBODY }, process.execPath, 1) ? test : test.skip

  asRoot('is not root when root starts it', async () => {
    const dataDir = freshDir()
    const server = await open(dataDir)
    const status = readFileSync(`/proc/${serverPid(dataDir)}/status`, 'utf8')
    expect(status).not.toMatch(/^Uid:\s+0\b/m)
    await server.stop()
  })

  asAnybody('can be an ordinary one without a home', async () => {
    const dataDir = freshDir()
    mkdirSync(dataDir)
    chownSync(dataDir, NOBODY, NOBODY)
    const opener = await startOpener([dataDir], { uid: NOBODY, gid: NOBODY })
    expect(opener.uid).toBe(NOBODY)
    expect(await query(opener.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await end(opener, 'asked')
  })

  asRoot('keeps the cluster elsewhere when it cannot reach the data directory', async () => {
    const dataDir = freshDir()
    mkdirSync(dataDir, { mode: 0o700 })
    const launcher = await startOpener([dataDir, 'throwaway', 'remove'])
    const { cluster } = recordOf(dataDir)
    expect(cluster).toMatch(/^\//)
    expect(await query(launcher.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await end(launcher, 'asked')
    expect(existsSync(cluster)).toBe(false)
  })
})
