// `npm start` once everything is installed and built: its stages, the demo with its pages, and an end that leaves no process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CHECKS, MONITORS } from '../../../../scripts/demo/story.ts'
import { createTestDatabase, settingsFor } from '../../../store/test/support/database.ts'
import { Browser } from '../support/browser.ts'
import { eventually } from '../support/world.ts'

const START = fileURLToPath(new URL('../../../../scripts/start.ts', import.meta.url))
const READY_MS = 540_000

interface Progress {
  show(stage: number, what: string): void
  clear(): void
  settle(): void
}

// It has no types: it runs on any Node, before anything is installed.
const { Progress: Shown } = (await import(new URL('../../../../scripts/progress.js', import.meta.url).href)) as {
  Progress: new (total: number, out: { isTTY: boolean; write(text: string): void }) => Progress
}

interface Started {
  /** What it says on standard output, by the words in front of it. */
  said(words: string): string
  stages(): string[]
  stop(): Promise<number | null>
}

let folder: string
const running: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-start-'))
})
afterAll(async () => {
  await Promise.all(running.map((stop) => stop()))
  await rm(folder, { recursive: true, force: true })
})

async function start(flags: readonly string[], env: Record<string, string> = {}): Promise<Started> {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', START, '--port', '0', '--data-dir', folder, ...flags],
    {
      // This machine may have no way out at all, and is not to be taken for cut off.
      env: { PATH: process.env.PATH ?? '', DOGWATCH_AGENT_CONNECTIVITY: 'off', LOG_LEVEL: 'warn', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const ended = once(child, 'exit') as Promise<[number | null]>
  const closed = once(child, 'close')
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const stop = async () => {
    child.kill('SIGINT')
    return (await ended)[0]
  }
  running.push(stop)
  const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('dogwatch: '))
  await eventually(
    async () => {
      // Its last lines can arrive after its exit.
      if (child.exitCode !== null) await Promise.race([closed, pause(60_000, undefined, { ref: false })])
      if (child.exitCode !== null) throw new Error(`it ended: ${out}${err}`)
      return lines(out).includes('dogwatch: ready')
    },
    'it is ready',
    READY_MS,
  )
  return {
    said: (words) => {
      const line = lines(out).find((one) => one.startsWith(`dogwatch: ${words} `))
      return line?.slice(`dogwatch: ${words} `.length) ?? ''
    },
    stages: () => lines(err).map((line) => line.slice('dogwatch: '.length)),
    stop,
  }
}

/** The processes that work in the data directory. */
async function processes(): Promise<string[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const words = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return words.filter((line) => line.includes(folder)).map((line) => line.replaceAll('\0', ' '))
}

test('on an empty database: its stages, a demo whose pages are full, and nothing left when it is stopped', async () => {
  const started = await start([])
  expect(started.stages()).toEqual([
    '[2/4] starting the database',
    '[3/4] writing 90 days of demo history',
    "[4/4] starting the demo's monitors",
  ])
  const [url, status, inbox] = [
    started.said('listening on'),
    started.said('demo status page'),
    started.said('demo inbox'),
  ]
  const [, email = '', password = ''] = /^(\S+) with password (\S+)$/.exec(started.said('demo sign-in')) ?? []
  const browser = new Browser(url)
  await browser.open('/sign-in')
  await browser.submit('/sign-in', { email, password })
  await browser.open('/checks')
  for (const { name } of CHECKS) expect(browser.text()).toContain(name)
  await browser.open('/monitors')
  for (const { name } of MONITORS) expect(browser.text()).toContain(name)
  for (const page of [status, inbox]) expect((await fetch(page)).status).toBe(200)
  const headers = { Authorization: `Bearer ${started.said('demo account token')}` }
  expect((await fetch(`${url}/account-api/v1/checks`, { headers })).status).toBe(200)
  const targets = async () => {
    await browser.open('/checks')
    // The page lists checks that are down first.
    return browser
      .all('[data-row]')
      .map((row) => row.text.match(/127\.0\.0\.1:\d+\S*/)?.[0])
      .toSorted()
  }
  const before = await targets()
  expect(before.filter(Boolean).length).toBeGreaterThan(3)
  // Another one on the same port and data ends, and leaves the demo as it is.
  await expect(start(['--port', new URL(url).port])).rejects.toThrow(/is already in use/)
  // So does one on another port, which serves the same data without a demo.
  const second = await start([])
  expect(second.stages()).toEqual([
    '[2/4] starting the database',
    'there is no demo: another "npm start" is running the demo of this data',
  ])
  expect(await second.stop()).toBe(0)
  expect(await targets()).toEqual(before)
  expect((await processes()).length).toBeGreaterThan(0)
  expect(await started.stop()).toBe(0)
  await eventually(async () => (await processes()).length === 0, 'nothing is left')
})

test('with --no-demo it leads to the page that sets the server up', async () => {
  const db = await createTestDatabase()
  const { SIGN_UP: _, DEFAULT_PLAN: __, ...settings } = settingsFor(db.url)
  const started = await start(['--no-demo'], settings)
  expect(started.stages()).toEqual(['[2/2] starting the database'])
  const browser = new Browser(started.said('listening on'))
  await browser.open(new URL(started.said('set up at')).pathname)
  expect([browser.page.status, browser.text()]).toEqual([200, expect.stringContaining('Set up this server')])
  expect(await started.stop()).toBe(0)
  await db.drop()
})

describe('the stages of a start', () => {
  const shown = (isTTY: boolean, work: (progress: Progress) => void): string => {
    let text = ''
    work(new Shown(4, { isTTY, write: (more) => void (text += more) }))
    return text
  }
  const work = (progress: Progress): void => {
    progress.show(1, 'installing dependencies')
    progress.show(2, 'starting the database')
    progress.settle()
    progress.settle()
    progress.show(3, 'writing history')
    progress.clear()
  }

  test('take the place of one another on a terminal', () => {
    const line = (text: string) => `\r\u001b[Kdogwatch: ${text}`
    expect(shown(true, work)).toBe(
      [
        line('[1/4] installing dependencies'),
        line('[2/4] starting the database'),
        '\n',
        line('[3/4] writing history'),
        '\r\u001b[K',
      ].join(''),
    )
  })

  test('are lines elsewhere', () => {
    expect(shown(false, work)).toBe(
      'dogwatch: [1/4] installing dependencies\ndogwatch: [2/4] starting the database\ndogwatch: [3/4] writing history\n',
    )
  })
})
