// From an empty database to the first alert, in one tab and without a terminal: set up, create a check, see it green, be told.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { mint } from '../../../agent/test/support/certificates.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { createTestDatabase, settingsFor, type TestDatabase } from '../../../store/test/support/database.ts'
import { openChromium } from '../support/chromium.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { eventually } from '../support/world.ts'
import { LOOKS, step, type Visitor, visitor, wear } from './visitor.ts'

const { browser, test, close } = await openChromium()

let db: TestDatabase
let dataDir: string
let server: ServerProcess
let inbox: Receiver
let target: Server
let secret: Server
let isTargetWell = true
/** Bounds the whole story, on a machine that does other work as well. */
const STORY_MS = 600_000
let alice: Visitor
let began: number
const spent: string[] = []

beforeAll(async () => {
  db = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'dogwatch-first-use-'))
  const { SIGN_UP: _, DEFAULT_PLAN: __, ...database } = settingsFor(db.url)
  const settings = { ...database, LOCAL_MONITOR: 'on', DOGWATCH_DATA_DIR: dataDir, EGRESS_ALLOW: '127.0.0.0/8' }
  // This machine may have no way out at all, and is not to be taken for cut off.
  server = await startServer({ ...settings, LOG_LEVEL: 'info', DOGWATCH_AGENT_CONNECTIVITY: 'off' }, 'all')
  inbox = await receiver()
  target = createServer((_request, response) => void response.writeHead(isTargetWell ? 200 : 503).end('all is well'))
  secret = createHttpsServer(
    mint({ name: 'localhost', for: ['127.0.0.1'] }),
    (_, response) => void response.end('psst'),
  )
  for (const one of [target, secret]) await new Promise<void>((resolve) => void one.listen(0, '127.0.0.1', resolve))
  began = performance.now()
})
afterAll(async () => {
  await close()
  await server.stop()
  await inbox.close()
  for (const one of [target, secret]) {
    one.closeAllConnections()
    one.close()
  }
  await db.drop()
  await rm(dataDir, { recursive: true, force: true })
  process.stderr.write(`first use: ${spent.join(', ')}\n`)
})

const placeOf = (of: Server) => `127.0.0.1:${(of.address() as AddressInfo).port}`
const main = () => alice.page.locator('main').innerText()
const fill = (label: string, value: string) => alice.page.getByLabel(label, { exact: true }).fill(value)
const note = (what: string) => spent.push(`${what} after ${((performance.now() - began) / 1000).toFixed(1)} s`)

async function told(type: string): Promise<Receiver['got'][number]> {
  const find = () => inbox.got.find(({ json }) => json.type === type)
  await eventually(() => find() !== undefined, `${type} arrives`)
  return find() as Receiver['got'][number]
}

test(
  'one who has an empty database and a browser gets to the first alert',
  async () => {
    alice = await visitor(browser, server.url)
    await step(
      'the link that the server printed makes the first person, who is shown the first steps; a second one is too late',
      async () => {
        await eventually(() => server.set_up_path !== '', 'the server prints its link')
        const late = await visitor(browser, server.url)
        for (const one of [late, alice]) await one.open(server.set_up_path)
        await fill('Email', 'alice@example.com')
        await fill('Password', 'correct horse battery')
        await fill('Organisation', 'Wonderland')
        await alice.press('Set up server')
        expect(await main()).toContain('Get started: 0 of 6 done')
        note('set up')
        for (const [label, value] of [
          ['Email', 'mallory@example.com'],
          ['Password', 'correct horse battery'],
          ['Organisation', 'Elsewhere'],
        ] as const)
          await late.page.getByLabel(label, { exact: true }).fill(value)
        await late.page.getByRole('button', { name: 'Set up server' }).click()
        await late.page.getByText('the server is already set up').waitFor()
        await late.close()
      },
    )
    await step('a check of an internal address turns green by itself', async () => {
      await alice.follow('Create a check')
      await fill('Name', 'the shop')
      await fill('Target', `http://${placeOf(target)}/`)
      await alice.page.locator('input[name=interval_sec]').fill('10')
      const asked = performance.now()
      await alice.press('Create check')
      await alice.page.locator('.standing p', { hasText: /^Up\b/ }).waitFor({ timeout: 60_000 })
      spent.push(`green ${((performance.now() - asked) / 1000).toFixed(1)} s after the form`)
      note('green')
    })
    await step(
      'the built-in monitor answers at once: a run that is asked for, and a test of what is not saved',
      async () => {
        const timed = async (what: string, button: string, shows: RegExp): Promise<void> => {
          const asked = performance.now()
          await alice.page.getByRole('button', { name: button, exact: true }).click()
          await alice.page.locator('main', { hasText: shows }).waitFor()
          spent.push(`${what} ${((performance.now() - asked) / 1000).toFixed(2)} s after the button`)
        }
        await timed('run now', 'Run now', /Passed from/)
        expect(await main()).toContain('all is well')
        await alice.open('/checks/new')
        await fill('Target', `http://${placeOf(target)}/?entered`)
        await alice.page.locator('summary', { hasText: 'Success criteria' }).click()
        await fill('Text or regular expression', 'all is lost')
        await timed('test', 'Test check', /Failed from/)
        expect(await main()).toMatch(/Failed rule\s+Response content[^]*Status code\s+200[^]*all is well/)
        // The page is the same one, and what was entered stands where it was.
        expect(await alice.page.getByLabel('Target', { exact: true }).inputValue()).toContain('?entered')
        expect({ path: new URL(alice.page.url()).pathname, axe: await alice.axe() }).toEqual({
          path: '/checks/new',
          axe: [],
        })
        await fill('Target', 'gopher://shop.example')
        expect(await main()).toContain('This result is from before your last change.')
        await timed('refusal', 'Test check', /must start with http/)
        await alice.open('/checks/new')
        // A target without a scheme is of the selected type.
        await alice.page.getByRole('radio', { name: 'TCP port' }).check()
        await fill('Target', placeOf(target))
        await timed('test of tcp', 'Test check', /Passed from/)
        await fill('Target', `https://${placeOf(secret)}/`)
        await timed('test of https', 'Test check', /Failed from[^]*TLS handshake/)
        await fill('Target', `tls://${placeOf(secret)}`)
        const verification = alice.page.locator('input[type=checkbox][name=insecure_skip_verify]')
        await alice.page.evaluate(() => document.querySelectorAll('details').forEach((part) => (part.open = true)))
        await verification.check()
        await timed('test of tls', 'Test check', /Passed from[^]*Certificate\s*Expires in \d+ days/)
      },
    )
    await step('a channel is added, and its test alert arrives', async () => {
      await alice.open('/channels/new?kind=webhook')
      await fill('Name', 'on call')
      await fill('URL', inbox.url)
      await alice.press('Create channel')
      await alice.press('Send test message')
      await told('channel.test')
      note('test alert')
    })
    await step('the target breaks, and the alert arrives', async () => {
      isTargetWell = false
      const { json } = await told('check.down')
      expect(json.data).toMatchObject({ check: { name: 'the shop' }, state: 'down', http_status: 503 })
      note('DOWN')
      await alice.follow('Checks')
      expect(await main()).toContain('1 of 1 check is down')
      await alice.open('/')
      expect(await main()).toMatch(/1 check is down\.[^]*Get started: 3 of 6 done/)
    })
    await step('without the channel, every page says that nobody was told, in every look', async () => {
      await alice.open('/channels')
      await alice.follow('on call')
      await alice.press('Disable channel')
      for (const look of LOOKS) {
        await wear(alice.page, look)
        await alice.open('/heartbeats')
        expect(await alice.page.getByRole('alert').innerText()).toContain('No one was notified of an outage.')
        expect({ look, axe: await alice.axe(), overflow: await alice.overflow() }).toEqual({
          look,
          axe: [],
          overflow: [],
        })
      }
      expect(alice.trouble()).toEqual([])
    })
  },
  STORY_MS,
)
