// A new user from signing up to an alert, in a real browser, with the server, the agent and a receiver as they really run.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AccountClient } from '@dogwatch/account-sdk'
import { afterAll, beforeAll, expect } from '@jest/globals'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { freePort } from '../../../../scripts/testing/free-port.ts'
import { type Receiver, receiver } from '../../../alerting/test/support/receiver.ts'
import { createTestDatabase, settingsFor, type TestDatabase } from '../../../store/test/support/database.ts'
import { runDogwatch } from '../commands/operator.ts'
import { openChromium } from '../support/chromium.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { eventually } from '../support/world.ts'
import { type RealAgent, typeIntoShell } from './real-agent.ts'
import { step, type Visitor, visitor, wear } from './visitor.ts'

const { browser, test, close } = await openChromium()
const SECRET = `whsec_${Buffer.from('a secret of twenty-four b').toString('base64')}`

let db: TestDatabase
let sql: pg.Client
let server: ServerProcess
let inbox: Receiver
let target: Server
let isTargetWell = true
let agent: RealAgent | undefined
/** Bounds the whole story, on a machine that does other work as well. */
const STORY_MS = 600_000
let alice: Visitor

beforeAll(async () => {
  db = await createTestDatabase()
  sql = new pg.Client({ connectionString: db.url })
  await sql.connect()
  const port = String(await freePort())
  server = await startServer({ ...settingsFor(db.url), PORT: port, EGRESS_ALLOW: '127.0.0.0/8' }, 'all')
  inbox = await receiver()
  target = createServer((_, response) => void response.writeHead(isTargetWell ? 200 : 503).end('all is <b>well</b>'))
  await new Promise<void>((resolve) => void target.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await agent?.stop()
  await close()
  await inbox.close()
  target.closeAllConnections()
  target.close()
  await server.stop()
  await sql.end()
  await db.drop()
})

const heading = () => alice.page.locator('h1').innerText()
const main = () => alice.page.locator('main').innerText()
const path = () => new URL(alice.page.url()).pathname
const fill = (label: string, value: string) => alice.page.getByLabel(label, { exact: true }).fill(value)

/** Presses the button that copies what has that id. */
async function copied(id: string): Promise<string> {
  await alice.page.locator(`button[data-copy="${id}"]`).click()
  await alice.page.getByText('Copied', { exact: true }).waitFor()
  return alice.page.evaluate<string>('navigator.clipboard.readText()')
}

/** Keeps how the page looks in every look. */
async function keep(name: string): Promise<void> {
  await alice.keep(`walkthrough/${name}`)
  await wear(alice.page, { scheme: 'light', width: 1440 })
  expect(alice.trouble()).toEqual([])
}

/** Reloads until the page says so. */
async function reads(text: RegExp): Promise<void> {
  const says = async () => {
    await alice.page.reload()
    return text.test(await main())
  }
  await eventually(says, `${path()} says ${text}; the agent: ${agent?.said() ?? ''}`)
}

async function told(type: string): Promise<Receiver['got'][number]> {
  const find = () => inbox.got.find(({ json }) => json.type === type)
  await eventually(() => find() !== undefined, `${type} arrives`)
  return find() as Receiver['got'][number]
}

async function seen(name: string): Promise<void> {
  if (name !== 'Heartbeats') await alice.open('/settings')
  await alice.follow(name)
  await keep(`20 ${name.toLowerCase()}`)
}

test(
  'a new user gets from signing up to an alert, and from there to the SDK',
  async () => {
    alice = await visitor(browser, server.url, { permissions: ['clipboard-read', 'clipboard-write'] })
    await step('signs up and is told the first step', async () => {
      await alice.open('/')
      expect(path()).toBe('/sign-in')
      await keep('01 sign in')
      await alice.follow('No account yet? Sign up')
      await keep('02 sign up')
      await fill('Email', 'alice@example.com')
      await fill('Password', 'correct horse battery')
      await fill('Organisation', 'Wonderland')
      await alice.press('Sign up')
      expect(path()).toBe('/')
      expect(await main()).toContain('Welcome to Dogwatch. Create a check to get started.')
      await keep('03 no checks yet')
    })
    await step('has another plan as soon as an operator sets it', async () => {
      await alice.follow('Settings')
      expect(await main()).toMatch(/free/i)
      await keep('04 settings on the free plan')
      const { rows } = await sql.query<{ org_id: string }>('select org_id from organisations')
      const args = ['org', 'set-plan', '--org', String(rows[0]?.org_id), '--plan', 'double']
      expect(await runDogwatch(args, { env: { DATABASE_URL: db.url } })).toMatchObject({ code: 0, err: '' })
      await alice.page.reload()
      expect(await main()).toMatch(/double/i)
    })
    await step('creates a channel, which a test message reaches, signed', async () => {
      await alice.follow('Alerting')
      await keep('05 no channels yet')
      await alice.open('/channels/new?kind=webhook')
      await fill('Name', 'on call')
      await fill('URL', inbox.url)
      await fill('Signing secret', SECRET)
      await keep('06 a new channel')
      await alice.press('Create channel')
      await alice.press('Send test message')
      const { body, headers } = await told('channel.test')
      expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
      await reads(/delivered/i)
      await keep('07 a channel')
    })
    await step('creates a check of a target on this machine', async () => {
      await alice.follow('Checks')
      await alice.follow('Create check')
      await fill('Name', 'the shop')
      await fill('Target', `http://127.0.0.1:${(target.address() as AddressInfo).port}/`)
      await keep('08 a new check')
      await alice.press('Create check')
      expect(await heading()).toBe('the shop')
      expect(await main()).toMatch(/Not monitored|No data/)
      await keep('09 a check without a monitor')
      // The plan allows a run every 45 s; nobody here waits that long.
      await sql.query('update checks set interval_sec = 2')
    })
    await step('adds a monitor by the commands of the page, and sees it online', async () => {
      await alice.follow('Monitors')
      await keep('10 no monitors yet')
      await alice.open('/monitors/new')
      await fill('Name', "Alice's rack")
      await fill('Region', 'eu-central')
      await fill('Country', 'DE')
      await fill('City', 'Berlin')
      await alice.press('Get install command')
      await keep('11 the commands of a monitor')
      const commands = await copied('shell')
      expect(commands).toContain('/install/install.sh')
      agent = await typeIntoShell(commands)
      const isSeen = async () => /Online Alice's rack[^]*Checks: the shop\./.test(await main())
      await eventually(isSeen, 'the page sees it by itself, and says what it runs')
      await alice.open('/monitors')
      await reads(/Alice's rack[^]*Online/)
      await keep('12 a monitor')
      await alice.follow("Alice's rack")
      await keep('13 the page of a monitor')
    })
    await step('sees the check turn green', async () => {
      await alice.open('/checks')
      await reads(/All? .*up|is up/i)
      await keep('14 all is well')
    })
    await step('breaks the target, sees the check red, and the signed webhook arrives', async () => {
      isTargetWell = false
      const { body, headers, json } = await told('check.down')
      expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
      expect(json.data).toMatchObject({ check: { name: 'the shop' }, state: 'down', http_status: 503 })
      await reads(/1 of 1 check is down/)
      await keep('15 something is wrong')
      await alice.follow('the shop')
      expect(await main()).toContain('Down')
      await keep('16 a check that is down')
    })
    await step('mends it, and sees that it has recovered', async () => {
      isTargetWell = true
      const { json } = await told('check.up')
      expect(json.data).toMatchObject({ check: { name: 'the shop' }, reason: 'recovered' })
      await alice.open(`${path()}/incidents`)
      await reads(/recovered/i)
      await keep('17 a check that has recovered')
      await alice.open('/channels/deliveries')
      expect(await main()).toMatch(/delivered/i)
      await keep('18 what was delivered')
    })
    await step('mints a token and reads all of it with the SDK', async () => {
      await alice.follow('Settings')
      await alice.follow('API tokens')
      await fill('Name', 'nightly report')
      await alice.press('Create API token')
      await keep('19 a token')
      const token = await copied('token')
      const account = new AccountClient({ baseUrl: server.url, token, retries: 0 })
      const [check] = await account.checks()
      expect(check).toMatchObject({ name: 'the shop', enabled: true })
      const verdicts = new Set<boolean>()
      for await (const { success } of account.results(check?.guid ?? '')) verdicts.add(success)
      expect(verdicts).toEqual(new Set([true, false]))
      expect(await account.monitors()).toMatchObject([{ name: "Alice's rack", city: 'Berlin' }])
    })
    await step('signs out', async () => {
      for (const name of ['Heartbeats', 'Members', 'Audit log']) await seen(name)
      await alice.press('Sign out')
      expect(path()).toBe('/sign-in')
      await alice.open('/checks')
      expect(path()).toBe('/sign-in')
    })
  },
  STORY_MS,
)
