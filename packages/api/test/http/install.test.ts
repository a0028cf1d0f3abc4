// What machines find under /install/: the installer, the container file, the archives and their checksums.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { ArchiveFolder } from '../../src/install/archives.ts'
import { exchange } from '../support/raw-http.ts'
import { eventually, type World, world } from '../support/world.ts'

/** Larger than the buffers of a connection, so that a download lasts until its client has read it. */
const BODY = Buffer.alloc(24_000_000, 'agent')
const SUM = createHash('sha256').update(BODY).digest('hex')
const FILE = `dogwatch-agent-0.1.0-linux-x64.${SUM.slice(0, 12)}.tar.gz`
const PACKAGING = fileURLToPath(new URL('../../../agent/packaging/', import.meta.url))

let w: World
const folder = mkdtempSync(join(tmpdir(), 'dogwatch-install-'))
let made = 0
beforeAll(async () => {
  for (const name of ['install.sh', 'Containerfile']) await copyFile(join(PACKAGING, name), join(folder, name))
  const make = async () => {
    made += 1
    writeFileSync(join(folder, FILE), BODY)
    writeList([{ platform: 'linux-x64', file: FILE, size: BODY.length, sha256: SUM }])
  }
  w = await world({
    trust_proxy: ['loopback'],
    install: {
      folder: new ArchiveFolder(folder, make),
      public_url: "https://dogwatch.example/it's/",
      bounds: { most: 8, of_address: 1 },
    },
  })
})
afterAll(async () => {
  await w.close()
  rmSync(folder, { recursive: true })
})

function writeList(archives: readonly object[]): void {
  writeFileSync(join(folder, 'archives.json'), JSON.stringify({ version: '0.1.0', archives }))
}

const get = (name: string) => fetch(`${w.direct}/install/${name}`)

test('the archives are made when somebody first asks, and once', async () => {
  expect(made).toBe(0)
  const answers = await Promise.all(['SHA256SUMS', 'SHA256SUMS'].map(async (name) => (await get(name)).text()))
  expect(answers).toEqual([`${SUM}  ${FILE}\n`, `${SUM}  ${FILE}\n`])
  expect(made).toBe(1)
})

test('an archive is sent whole, under a name that may be kept for good', async () => {
  const answer = await get(FILE)
  expect(answer.status).toBe(200)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/gzip',
    'content-length': String(BODY.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
  expect(
    createHash('sha256')
      .update(Buffer.from(await answer.arrayBuffer()))
      .digest('hex'),
  ).toBe(SUM)
})

test('HEAD has the same headers and no body', async () => {
  for (const name of [FILE, 'install.sh', '']) {
    const [read, head] = [await get(name), await fetch(`${w.direct}/install/${name}`, { method: 'HEAD' })]
    const headersOf = ({ headers }: Response) =>
      Object.entries(Object.fromEntries(headers)).filter(
        ([key]) => !/^(date|x-request-id|transfer-encoding|connection|keep-alive)$/.test(key),
      )
    expect([head.status, headersOf(head)]).toEqual([read.status, headersOf(read)])
    await read.arrayBuffer()
  }
})

test('the installer names this server, quoted for a shell, and every archive with its checksum', async () => {
  const answer = await get('install.sh')
  const script = await answer.text()
  expect(answer.headers.get('cache-control')).toBe('no-cache, no-transform')
  expect(script).toContain(`SERVER='https://dogwatch.example/it'\\''s'\n`)
  expect(script).toContain(`ARCHIVES='linux-x64 ${SUM} ${FILE}'\n`)
  expect(script).not.toMatch(/@[A-Z]+@/)
  for (const shell of ['sh', 'bash']) execFileSync(shell, ['-n'], { input: script })
})

test('the container file fetches the archive, and checks it', async () => {
  const text = await (await get('Containerfile')).text()
  expect(text).toContain(`FROM \${BASE_IMAGE} AS fetched-amd64\nADD https://dogwatch.example/it's/install/${FILE} `)
  expect(text).toContain(`RUN echo "${SUM}  /agent.tar.gz" | sha256sum -c - && `)
  expect(text).not.toContain('fetched-arm64')
  expect(text).not.toMatch(/@[A-Z]+@/)
})

test('what was not built is a 404, and one line says how to build it', async () => {
  for (const name of ['dogwatch-agent-0.1.0-darwin-arm64.tar.gz', 'dogwatch-agent-9.9.9-win32-x64']) {
    const [, platform] = /-(\w+-\w+?)(?:\.tar\.gz)?$/.exec(name) ?? []
    const answer = await get(name)
    expect([answer.status, await answer.text()]).toEqual([
      404,
      `there is no archive for ${platform}; run "npm run bundle -w @dogwatch/agent -- --platform ${platform}" on the server`,
    ])
  }
})

test.each(['/install/../package.json', '/install/..%2f..%2fpackage.json', '/install/archives.json', '/install/%00'])(
  'nothing else of the disk can be read: %s',
  async (path) => {
    const { answers } = await exchange(Number(new URL(w.direct).port), [
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    ])
    expect(answers[0]?.status).toBe(404)
  },
)

test('nothing can be sent there', async () => {
  const answer = await fetch(`${w.direct}/install/${FILE}`, { method: 'PUT', body: 'x' })
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('one address has so many downloads at a time, and its place back when it is gone', async () => {
  const { port } = new URL(w.direct)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET /install/${FILE} HTTP/1.1\r\nHost: x\r\n\r\n`)
  await new Promise((resolve) => socket.once('readable', resolve))
  const second = await get(FILE)
  expect([second.status, second.headers.get('retry-after')]).toEqual([429, '10'])
  await second.text()
  socket.destroy()
  await eventually(async () => {
    const answer = await get(FILE)
    await answer.body?.cancel()
    return answer.status === 200
  }, 'the place is free again')
})

test('all addresses of one /48 have two places for each that one of them may have, and others still find one', async () => {
  const { port } = new URL(w.direct)
  const sockets: Socket[] = []
  const begin = async (from: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    sockets.push(socket)
    socket.write(`GET /install/${FILE} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\n\r\n`)
    await once(socket, 'readable')
    return String(socket.read(15))
  }
  try {
    const own = ['2001:db8:1:1::1', '2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1:4::1']
    const statuses: string[] = []
    for (const from of [...own, '2001:db8:2:1::1', '192.0.2.1']) statuses.push(await begin(from))
    const [OK, EXCESS] = ['HTTP/1.1 200 OK', 'HTTP/1.1 429 To']
    expect(statuses).toEqual([OK, OK, EXCESS, EXCESS, OK, OK])
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

test('requests of one address are limited', async () => {
  const options = { folder: new ArchiveFolder(folder), public_url: w.direct }
  const limited = await world({ address_limit: { per_sec: 0.001, burst: 2 }, install: options })
  try {
    const ask = async () => (await fetch(`${limited.direct}/install/install.bat`)).status
    expect([await ask(), await ask(), await ask()]).toEqual([404, 404, 429])
  } finally {
    await limited.close()
  }
})

test('a list that was tampered with is not written into a script', async () => {
  writeList([{ platform: "linux-x64'; rm -rf /; '", file: FILE, size: 1, sha256: SUM }])
  expect((await get('install.sh')).status).toBe(500)
})
