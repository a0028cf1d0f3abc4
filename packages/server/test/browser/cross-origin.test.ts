// The account SDK in a page of another origin, in a real browser: it reads what CORS_ORIGINS lets it read.
import { randomBytes } from 'node:crypto'
import { createReadStream, readdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crossOrigin } from '@dogwatch/api/cross-origin'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals'
import { openChromium } from '../support/chromium.ts'
import { result, type World, world } from '../support/world.ts'

const { browser, test, close } = await openChromium()

const require = createRequire(fileURLToPath(new URL('../../../account-sdk/src/index.ts', import.meta.url)))
const SDK = fileURLToPath(new URL('../../../account-sdk/dist/', import.meta.url))
/** As a bundler would find them. */
const MODULES: Record<string, string> = {
  '@dogwatch/account-sdk': '/sdk/index.js',
  'openapi-fetch': '/openapi-fetch.js',
  '@streamparser/json': '/streamparser/index.js',
  ...Object.fromEntries(
    readdirSync(join(SDK, 'core'))
      .filter((file) => file.endsWith('.js'))
      .map((file) => [`#core/${file.slice(0, -'.js'.length)}`, `/sdk/core/${file}`]),
  ),
}
const PAGE = `<!doctype html><script type="importmap">${JSON.stringify({ imports: MODULES })}</script>`

function fileOf(path: string): string {
  if (path.startsWith('/sdk/')) return join(SDK, path.slice('/sdk/'.length))
  if (path === '/openapi-fetch.js') return join(require.resolve('openapi-fetch'), '..', 'index.mjs')
  return join(require.resolve('@streamparser/json'), '..', '..', 'mjs', path.slice('/streamparser/'.length))
}

/** A site of somebody else's, that has the SDK. */
async function site(): Promise<{ server: Server; origin: string }> {
  const server = createServer((req, res) => {
    const path = req.url ?? '/'
    if (path === '/') return void res.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
    createReadStream(fileOf(path))
      .on('error', () => res.writeHead(404).end())
      .on('open', () => res.writeHead(200, { 'content-type': 'text/javascript' }))
      .pipe(res)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

let w: World
let ours: { server: Server; origin: string }
let theirs: { server: Server; origin: string }
let token = ''
beforeAll(async () => {
  ;[ours, theirs] = [await site(), await site()]
})
// Each test has a world of its own, because one of them uses up what an address may ask for.
beforeEach(async () => {
  w = await world({
    early: [crossOrigin([ours.origin], randomBytes)],
    address_limit: { per_sec: 0.001, burst: 12 },
  })
  const org = await w.org()
  const monitor = await w.monitor(org)
  const [guid = ''] = await w.checks(org, [{ name: 'shop' }], 'all')
  await monitor.client.upload([result(guid)])
  token = await w.pat(org)
})
afterEach(() => w.close())
afterAll(async () => {
  await close()
  for (const { server } of [ours, theirs]) {
    server.closeAllConnections()
    server.close()
  }
})

/** Runs the SDK in a page of that origin; `work` is the body of a function of the client. */
async function inPage(origin: string, work: string): Promise<unknown> {
  const page = await browser.newPage()
  await page.goto(origin)
  return page.evaluate(`(async () => {
    const { AccountClient } = await import('@dogwatch/account-sdk')
    const client = new AccountClient({ baseUrl: ${JSON.stringify(w.direct)}, token: ${JSON.stringify(token)}, retries: 0 })
    ${work}
  })()`)
}

test('it reads checks, results and the export', async () => {
  const read = await inPage(
    ours.origin,
    `const [check] = await client.checks()
     const results = await Array.fromAsync(client.results(check.guid))
     const answer = await client.http.GET('/export', {})
     return [check.name, results.length, answer.data.checks.length, answer.response.headers.get('content-disposition')]`,
  )
  expect(read).toEqual(['shop', 1, 1, expect.stringMatching(/^attachment; filename=/)])
})

test('a refusal tells it the request, and when to come again', async () => {
  const told = await inPage(
    ours.origin,
    `let error
     for (let i = 0; i < 20 && !error; i++) error = await client.checks().then(() => undefined, (refused) => refused)
     return [error.status, /^r-/.test(error.requestId), error.retryAfter > 0]`,
  )
  expect(told).toEqual([429, true, true])
})

test('a page that is not named gets nothing', async () => {
  const told = await inPage(theirs.origin, `return client.checks().then(() => 'read', (error) => error.name)`)
  expect(told).toBe('ConnectionError')
})
