// The files for the balancers: what they bound, and what they keep out of their logs. Where the programs are installed, as
// they run; elsewhere as they are written.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signedToken } from '@dogwatch/runtime/signed-tokens'
import { newToken, type TokenKind } from '@dogwatch/runtime/tokens'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { requestFrom } from '../../../api/test/support/from-address.ts'
import { eventually } from '../support/world.ts'

const DEPLOY = new URL('../../deploy/', import.meta.url)
const HAPROXY = readFileSync(new URL('haproxy.cfg', DEPLOY), 'utf8')
const NGINX = readFileSync(new URL('nginx.conf', DEPLOY), 'utf8')
const PATH = `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin`
const isThere = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status === 0

const token = (kind: TokenKind) => newToken(kind, randomBytes)
/** Paths that must not be in a log, and what may be there instead. */
const SECRETS: readonly (readonly [path: string, shown: string])[] = [
  [`/ping/${token('beat')}`, '/ping/...'],
  [`/ping/${token('beat')}/fail?rid=secret-run`, '/ping/...'],
  ['/ping/anything', '/ping/...'],
  [`/reset-password/${token('reset')}`, '/reset-password/...'],
  [`/invitations/${token('invite')}`, '/invitations/...'],
  [`/sign-up/${token('signup')}`, '/sign-up/...'],
  [`/set-up/${token('setup')}`, '/set-up/...'],
  [`/confirm-address/${token('confirm')}`, '/confirm-address/...'],
  [`/unsubscribe/${token('unsubscribe')}`, '/unsubscribe/...'],
  [`/a/${signedToken('act', randomBytes(32), randomBytes(24))}`, '/a/...'],
  [`/later/${token('guest')}`, '/later/dogwatch_...'],
  ['/sign-in?email=secret-run', '/sign-in'],
]

describe('as they are written', () => {
  test.each([
    ['haproxy.cfg', HAPROXY],
    ['nginx.conf', NGINX],
  ])('%s writes its log in a form that leaves secrets out', (_, text) => {
    for (const door of [
      'ping',
      'reset-password',
      'invitations',
      'sign-up',
      'set-up',
      'confirm-address',
      'unsubscribe',
      'a',
    ])
      expect(text).toMatch(new RegExp(`\\b${door}\\b`))
    expect(text).not.toMatch(
      /^\s*option httplog|%r\b|%HU\b|%HP\b|\$request\b|\$request_uri|\$http_referer|\bcombined\b/m,
    )
  })

  test('haproxy.cfg bounds the connections of one address, and of one /64', () => {
    expect(HAPROXY).toMatch(/tcp-request connection track-sc0 src,ipmask\(32,64\) table connections\n/)
    expect(HAPROXY).toMatch(/tcp-request connection reject if \{ sc0_conn_cur gt 500 \}\n/)
  })

  test('nginx.conf bounds the requests of one client, and writes no errors of secret paths', () => {
    expect(NGINX).toMatch(/limit_conn dogwatch_clients 500;/)
    expect(NGINX.match(/error_log \/dev\/null;/g)).toHaveLength(2)
  })
})

interface Running {
  port: number
  log: () => string
}

let folder: string
let server: Server
let child: ChildProcess | undefined
const sockets: Socket[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-balancers-'))
  await chmod(folder, 0o777)
  server = createServer((_req, res) => res.end('here'))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  if (!child) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  child = undefined
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const portOf = (one: { address(): unknown }) => (one.address() as AddressInfo).port

function run(program: string, args: readonly string[], env: Record<string, string>): () => string {
  const started = spawn(program, args, { env: { PATH, ...env, ...libraries() }, stdio: ['ignore', 'pipe', 'pipe'] })
  child = started
  let output = ''
  for (const stream of [started.stdout, started.stderr]) stream.on('data', (text) => (output += String(text)))
  return () => output
}

const libraries = (): Record<string, string> =>
  process.env.LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH }

async function startHaproxy(text: string): Promise<Running> {
  const [port, file, web] = [await freePort(), join(folder, 'haproxy.cfg'), `127.0.0.1:${portOf(server)}`]
  await writeFile(file, text)
  const log = run('haproxy', ['-db', '-f', file], { LISTEN: `0.0.0.0:${port}`, WEB1: web, WEB2: web })
  await answers(port, log)
  return { port, log }
}

async function startNginx(text: string): Promise<Running> {
  const [port, root, web] = [await freePort(), join(folder, 'nginx'), `127.0.0.1:${portOf(server)}`]
  await mkdir(root, { recursive: true })
  const own = text
    .replaceAll('/var/log/nginx/', `${root}/`)
    .replaceAll(/127\.0\.0\.1:808\d/g, web)
    .replace('listen 8080;', `listen 0.0.0.0:${port};`)
  await writeFile(join(root, 'dogwatch.conf'), own)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${root}/${kind};`,
  )
  const whole = `daemon off; master_process off; pid ${root}/pid; error_log ${root}/error.log; events {} http { ${temporary.join(' ')} include ${root}/dogwatch.conf; }`
  await writeFile(join(root, 'nginx.conf'), whole)
  const output = run('nginx', ['-e', 'stderr', '-p', root, '-c', join(root, 'nginx.conf')], {})
  await answers(port, output)
  const files = ['access.log', 'error.log'].map((name) => join(root, name))
  return { port, log: () => output() + files.map((file) => readFileSync(file, 'utf8')).join('') }
}

const answers = (port: number, log: () => string) =>
  eventually(async () => {
    if (child?.exitCode != null) throw new Error(log())
    return (await fetch(`http://127.0.0.1:${port}/start`).catch(() => undefined))?.status === 200
  }, 'it answers')

async function callSecrets({ port, log }: Running): Promise<void> {
  for (const [path] of SECRETS)
    expect((await requestFrom('127.0.0.1', `http://127.0.0.1:${port}${path}`)).status).toBe(200)
  await requestFrom('127.0.0.1', `http://127.0.0.1:${port}/last`)
  await eventually(() => log().includes('/last '), 'all is in the log')
}

function expectNoSecrets(log: string): void {
  for (const [path, shown] of SECRETS) {
    expect(log).not.toContain(path)
    expect(log).toMatch(new RegExp(`GET ${shown.replaceAll('.', '\\.')} HTTP/1\\.1`))
  }
  expect(log).not.toMatch(/dogwatch_[a-z]+_[0-9A-Za-z]|secret-run|anything/)
}

const ofHaproxy = isThere('haproxy') ? describe : describe.skip
ofHaproxy('haproxy.cfg, run by HAProxy', () => {
  test('its log holds no secret', async () => {
    const running = await startHaproxy(HAPROXY)
    await callSecrets(running)
    expectNoSecrets(running.log())
  })

  test('an address has so many connections and no more, idle ones too; others get in', async () => {
    const { port } = await startHaproxy(HAPROXY.replace('sc0_conn_cur gt 500', 'sc0_conn_cur gt 5'))
    let closed = 0
    for (let n = 0; n < 9; n++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
      sockets.push(socket.on('error', () => {}).once('close', () => closed++))
    }
    await eventually(() => closed === 4, 'four are closed')
    expect((await requestFrom('127.0.0.3', `http://127.0.0.1:${port}/`)).status).toBe(200)
    await expect(requestFrom('127.0.0.2', `http://127.0.0.1:${port}/`)).rejects.toThrow()
  })
})

const ofNginx = isThere('nginx') ? describe : describe.skip
ofNginx('nginx.conf, run by nginx', () => {
  test('its logs hold no secret, also when no server answers', async () => {
    const running = await startNginx(NGINX)
    await callSecrets(running)
    expectNoSecrets(running.log())
    const dead = await freePort()
    child?.kill('SIGKILL')
    await once(child as ChildProcess, 'exit')
    const conf = join(folder, 'nginx/dogwatch.conf')
    await writeFile(conf, (await readFile(conf, 'utf8')).replaceAll(`127.0.0.1:${portOf(server)}`, `127.0.0.1:${dead}`))
    run('nginx', ['-e', 'stderr', '-p', join(folder, 'nginx'), '-c', join(folder, 'nginx/nginx.conf')], {})
    const ask = (path: string) =>
      requestFrom('127.0.0.1', `http://127.0.0.1:${running.port}${path}`).catch(() => undefined)
    await eventually(async () => (await ask('/plain'))?.status === 502, 'it answers that nobody does')
    for (const [path] of SECRETS.slice(0, 6)) expect((await ask(path))?.status).toBe(502)
    expectNoSecrets(running.log())
  })

  test('a client has so many requests at once and no more, in one line; others are served', async () => {
    const { port } = await startNginx(NGINX.replace('limit_conn dogwatch_clients 500', 'limit_conn dogwatch_clients 2'))
    const slow = Array.from({ length: 2 }, () => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
      sockets.push(socket.on('error', () => {}))
      socket.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc')
      return once(socket, 'connect')
    })
    await Promise.all(slow)
    await eventually(async () => {
      const { status, body, headers } = await requestFrom('127.0.0.2', `http://127.0.0.1:${port}/`)
      return status === 429 && body === 'too many requests at once' && headers['retry-after'] === '1'
    }, 'it is refused')
    expect((await requestFrom('127.0.0.3', `http://127.0.0.1:${port}/`)).status).toBe(200)
  })
})
