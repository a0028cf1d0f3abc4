// The request that a check describes: its method and body, its statuses, its version of IP, its redirects and its proxy.
import { createServer as createHttpServer, request as sendRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { mint } from '../support/certificates.ts'
import { run, verdict } from '../support/checks.ts'
import { closedPort, ok, serveHttp, serveHttps, serveTcp } from '../support/servers.ts'

/** Serves the method, the headers and the body of each request as text. */
async function serveEcho(): Promise<string> {
  return serveHttp((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const {
        host,
        'content-length': length = '-',
        'content-type': type = '-',
        'transfer-encoding': coding = '-',
      } = req.headers
      const shown = [req.method, length, coding, type, Buffer.concat(chunks).toString() || '-'].join(' ')
      res.setHeader('X-Seen', shown)
      if (req.url === '/moved') res.writeHead(302, { location: `http://${host}/` })
      res.end(shown)
    })
  })
}

const FORM = 'application/x-www-form-urlencoded'

test.each([
  [{}, 'GET - - - -'],
  [{ post_data: 'x' }, `POST 1 - ${FORM} x`],
  [{ method: 'PUT', post_data: 'x' }, `PUT 1 - ${FORM} x`],
  [{ method: 'PUT' }, 'PUT 0 - - -'],
  [{ method: 'DELETE' }, 'DELETE - - - -'],
  [{ method: 'GET', post_data: 'x' }, `GET 1 - ${FORM} x`],
  [{ method: 'PROPFIND' }, 'PROPFIND 0 - - -'],
  [{ method: 'HEAD' }, 'HEAD - - - -'],
])('%j is sent as %s', async (fields, seen) => {
  const assertions = [{ on: 'header', at: 'x-seen', is: 'eq', value: seen }]
  expect((await run(await serveEcho(), { ...fields, assertions })).error).toBe('')
})

test.each([
  ['POST', 'GET - - - -'],
  ['PUT', `PUT 1 - ${FORM} x`],
])('%s becomes %s after a 302', async (method, seen) => {
  const assertions = [{ on: 'body', is: 'eq', value: seen }]
  expect((await run(`${await serveEcho()}/moved`, { method, post_data: 'x', assertions })).error).toBe('')
})

test.each([
  [200, ['200-299'], 'ok 200'],
  [404, ['200-299', '404'], 'ok 404'],
  [301, ['200-299'], 'status 301'],
  [500, ['200'], 'status 500'],
])('%d of %j is %s', async (status, status_codes, wanted) => {
  const url = await serveHttp((_req, res) => res.writeHead(status).end())
  expect(await verdict(url, { status_codes })).toBe(wanted)
})

test('as many redirects are followed as the check says', async () => {
  const url = await serveHttp((req, res) => {
    const left = Number((req.url ?? '').slice(1))
    if (left > 0) res.writeHead(302, { location: `/${left - 1}` })
    res.end('done')
  })
  expect(await verdict(`${url}/2`, { max_redirects: 2 })).toBe('ok 200')
  expect((await run(`${url}/3`, { max_redirects: 2 })).error).toBe('redirect: more than 2 redirects')
  expect(await verdict(`${url}/12`, { max_redirects: 20 })).toBe('ok 200')
})

test('only addresses of one version of IP are used, or both are', async () => {
  const port = new URL(await serveHttp(ok)).port
  const named = `http://localhost:${port}/`
  expect((await run(named, { ip_family: '4' })).address).toBe('127.0.0.1')
  // The server listens on 127.0.0.1 alone.
  const six = await run(named, { ip_family: '6' })
  expect(['refused', 'dns']).toContain(six.kind)
  const both = await run(named, { ip_family: 'both' })
  expect(both.error).toMatch(/^(?:refused|dns): over IPv6: /)
  expect((await run(named, { ip_family: 'both', invert_result: true })).success).toBe(true)
  expect((await run(`http://127.0.0.1:${port}/`, { ip_family: '6' })).error).toBe(
    'dns: the target is an address of another IP version',
  )
})

/** Serves an HTTP proxy that forwards and opens tunnels. */
async function serveProxy(login?: string): Promise<{ proxy: string; asked: string[] }> {
  const asked: string[] = []
  const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`
  const server = createHttpServer((req, res) => {
    asked.push(`${req.method} ${req.url}`)
    if (req.headers['proxy-authorization'] !== expected) return res.writeHead(407).end()
    const { 'proxy-authorization': _, ...headers } = req.headers
    const sent = sendRequest(req.url ?? '', { headers }, (from) => {
      res.writeHead(from.statusCode ?? 0, from.headers)
      from.pipe(res)
    })
    return req.pipe(sent)
  })
  server.on('connect', (req, socket: Socket, head: Buffer) => {
    asked.push(`CONNECT ${req.url}`)
    if (req.headers['proxy-authorization'] !== expected) return socket.end('HTTP/1.1 407 No\r\n\r\n')
    const [host = '', port = ''] = (req.url ?? '').split(':')
    const far = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      far.write(head)
      far.pipe(socket).pipe(far)
    })
    far.on('error', () => socket.end('HTTP/1.1 502 Bad\r\n\r\n'))
    socket.on('error', () => far.destroy())
    return undefined
  })
  const port = await serveTcp((socket) => void server.emit('connection', socket))
  return { proxy: `http://${login === undefined ? '' : `${login}@`}127.0.0.1:${port}`, asked }
}

/** Serves a SOCKS5 proxy that requires a login. */
async function serveSocks(user: string, password: string): Promise<number> {
  return serveTcp((socket) => {
    let step = 0
    socket.on('data', (bytes: Buffer) => {
      step += 1
      if (step === 1) return socket.write(Buffer.from([5, bytes.includes(2) ? 2 : 255]))
      if (step === 2) {
        const wanted = Buffer.concat([
          Buffer.from([1, user.length]),
          Buffer.from(user),
          Buffer.from([password.length]),
          Buffer.from(password),
        ])
        return socket.write(Buffer.from([1, bytes.equals(wanted) ? 0 : 1]))
      }
      if (step > 3) return undefined
      const host = bytes[3] === 1 ? bytes.subarray(4, 8).join('.') : bytes.subarray(5, 5 + (bytes[4] ?? 0)).toString()
      const far = connect(bytes.readUInt16BE(bytes.length - 2), host, () => {
        // In two pieces, as a network may deliver it.
        socket.write(Buffer.from([5, 0, 0, 1, 0]))
        setTimeout(() => socket.write(Buffer.from([0, 0, 0, 0, 0])), 10)
        far.pipe(socket).pipe(far)
      })
      far.on('error', () => socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])))
      return undefined
    })
  })
}

const certificate = mint({ name: 'x', for: ['127.0.0.1', 'localhost'] })

test('an HTTP proxy forwards http and opens a tunnel for https, with its login', async () => {
  const { proxy, asked } = await serveProxy('user:secret')
  const http = await serveHttp(ok)
  const port = await serveHttps(certificate)
  expect(await verdict(`${http}/a?b`, { proxy })).toBe('ok 200')
  const https = await run(`https://127.0.0.1:${port}/`, {
    proxy,
    insecure_skip_verify: true,
    match_string: 'all is well',
  })
  expect(https.error).toBe('')
  expect(asked).toEqual([`GET ${http}/a?b`, `CONNECT 127.0.0.1:${port}`])
  const wrong = await run(`https://127.0.0.1:${port}/`, { proxy: proxy.replace(/\/\/.*@/, '//') })
  expect(wrong.error).toBe('unreachable: the proxy: it requires another login')
})

test('a SOCKS5 proxy opens a tunnel, by name and by address', async () => {
  const proxy = `socks5://user:p%40ss@127.0.0.1:${await serveSocks('user', 'p@ss')}`
  const port = new URL(await serveHttp(ok)).port
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await verdict(`http://${host}:${port}/`, { proxy })).toBe('ok 200')
  const secure = await serveHttps(certificate)
  expect(await verdict(`https://127.0.0.1:${secure}/`, { proxy, insecure_skip_verify: true })).toBe('ok 200')
  const refused = await run(`http://127.0.0.1:${await closedPort()}/`, { proxy })
  expect(refused.error).toBe('refused: the proxy: the target refused the connection')
  const other = await run(`http://127.0.0.1:${port}/`, { proxy: proxy.replace('user', 'else') })
  expect(other.error).toBe('unreachable: the proxy: it requires another login')
})

test.each([
  ['silent', () => undefined, 'timeout: the proxy: ', 1],
  ['no proxy', (socket: Socket) => socket.end('SSH-2.0-x\r\n\r\n'), 'protocol: the proxy: ', 60],
  [
    'endless',
    (socket: Socket) => void socket.write('x'.repeat(100_000)),
    'protocol: the proxy: the reply is too long',
    60,
  ],
  ['gone', (socket: Socket) => void socket.destroy(), 'reset: the proxy: ', 60],
])('a proxy that is %s fails the check, and its words say so', async (_what, answer, words, timeout_sec) => {
  const port = await serveTcp((socket) => socket.once('data', () => answer(socket)))
  const fields = { proxy: `http://127.0.0.1:${port}`, timeout_sec }
  const { error } = await run('https://127.0.0.1:1/', fields)
  expect(error.slice(0, words.length)).toBe(words)
})

test('only own monitors use a proxy', async () => {
  const fields = { proxy: `http://127.0.0.1:${await closedPort()}` }
  const { error } = await run('http://93.184.216.34/', fields, { public_targets_only: true })
  expect(error).toBe('blocked: only own monitors can run this check')
})
