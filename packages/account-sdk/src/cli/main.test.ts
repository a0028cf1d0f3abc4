// What the command writes, where it writes it, and what it exits with.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { firstEvent } from '../../../../scripts/testing/first-event.ts'
import { json, type Reply, serve, text } from '../../../monitor-sdk/test/misbehaving-server.ts'
import { arrivals, EXPORT, exportOf, GUID, page, result, sendExport } from '../../test/account-answers.ts'
import { run } from './main.ts'
import { StopReason } from './surroundings.ts'

const TOKEN = 'dogwatch_pat_s3cr3tS3cr3t'
const CHECK = {
  guid: GUID,
  name: 'shop \u001b[31m\nred',
  url: 'https://shop.example.com/',
  enabled: true,
  restricted: false,
  interval_sec: 60,
  match_string: '',
  result_detail_max_chars: 0,
}

class Collected extends Writable {
  text = ''
  isTTY = false
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}

const folders: string[] = []
afterEach(async () => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
})

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dogwatch-account-'))
  folders.push(folder)
  return folder
}

interface Setup {
  script?: Reply[]
  args: string[]
  env?: Record<string, string>
  terminal?: boolean
  signal?: AbortSignal
}

async function command({ script = [json([])], args, env, terminal = false, signal }: Setup) {
  const { baseUrl, arrived } = await serve(...script)
  const [stdout, stderr] = [new Collected(), new Collected()]
  stdout.isTTY = stderr.isTTY = terminal
  const code = await run({
    args,
    env: env ?? { DOGWATCH_SERVER: baseUrl, DOGWATCH_TOKEN: TOKEN },
    stdout,
    stderr,
    signal: signal ?? new AbortController().signal,
  })
  expect(stdout.text + stderr.text).not.toContain('s3cr3t')
  return { code, out: stdout.text, err: stderr.text, arrived }
}

test('a list is one JSON document where a program reads', async () => {
  const { code, out, err, arrived } = await command({ script: [json([CHECK])], args: ['checks'] })
  expect([code, err]).toEqual([0, ''])
  expect(JSON.parse(out)).toEqual([CHECK])
  expect(arrived[0]?.headers).toMatchObject({
    authorization: `Bearer ${TOKEN}`,
    'user-agent': expect.stringMatching(/^dogwatch-account\/\d/),
  })
})

test('a list is a table on a terminal, and nothing in it moves the cursor', async () => {
  const { out } = await command({ script: [json([CHECK])], args: ['checks'], terminal: true })
  expect(out).toBe(
    [
      'guid                                  name            enabled  interval_sec  url',
      `${GUID}  shop  [31m red  yes      60            https://shop.example.com/`,
      '',
    ].join('\n'),
  )
})

test.each([
  ['monitors', '/monitors'],
  ['heartbeats', '/heartbeats'],
  ['channels', '/notification-channels'],
  ['members', '/members'],
])('%s as ndjson has a line each', async (name, path) => {
  const items = [{ id: 1 }, { id: 2 }]
  const { out, arrived } = await command({ script: [json(items)], args: [name, '--format', 'ndjson'] })
  expect(out).toBe('{"id":1}\n{"id":2}\n')
  expect(arrived[0]?.url).toBe(`/account-api/v1${path}`)
})

test('a table of channels shows no secret', async () => {
  const channel = { id: 1, name: 'hook', kind: 'webhook', webhook_url: 'https://x/s3cr3t', webhook_secret: 's3cr3t' }
  const { out } = await command({ script: [json([channel])], args: ['channels', '--format=table'] })
  expect(out).toContain('webhook')
})

test('settings come in each format', async () => {
  const settings = { org_name: 'Shop', entitlements: { Plan: 'solo' }, plan_usage: { Checks: 2 } }
  const script = [json(settings)]
  const table = await command({ script, args: ['settings', '--format', 'table'] })
  expect(table.out).toContain('entitlements.Plan  solo\nplan_usage.Checks  2\n')
  expect(JSON.parse((await command({ script, args: ['settings'] })).out)).toEqual(settings)
})

const RESULTS = ['results', '--guid', GUID]
const pages = [json(page(result(1), result(2))), json(page(result(3, { success: false, error: 'status: 500' })))]
const script = [...pages, json(page())]

test('results of all pages are one JSON document, or a line each, or one table', async () => {
  const all = [result(1), result(2), result(3, { success: false, error: 'status: 500' })]
  expect(JSON.parse((await command({ script, args: RESULTS })).out)).toEqual(all)
  const lines = (await command({ script, args: [...RESULTS, '--format', 'ndjson'] })).out
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(all)
  const table = (await command({ script, args: [...RESULTS, '--format', 'table'] })).out
  expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['ran_at', 'monitor', 'success', 'latency_ms', 'http_status', 'error'],
    ['2026-11-20T10:01:00.123456Z', '7k2m9x0c4v5b', 'yes', '1'],
    ['2026-11-20T10:02:00.123456Z', '7k2m9x0c4v5b', 'yes', '2'],
    ['2026-11-20T10:03:00.123456Z', '7k2m9x0c4v5b', 'no', '3', 'status: 500'],
    [''],
  ])
})

test('following writes a line for each result, and keeps in a file how far it has come', async () => {
  const cursorFile = join(await newFolder(), 'cursor')
  const refused = text(404, 'no check with that guid')
  const script = [json(arrivals('a', result(1), result(2))), json(arrivals('b', result(0))), refused]
  const args = [...RESULTS, '--follow', '--cursor-file', cursorFile]
  const first = await command({ script, args: [...args, '--since', '2026-11-20T00:00:00Z'] })
  expect(first).toMatchObject({ code: 1, err: 'dogwatch-account: 404: no check with that guid\n' })
  expect(first.out).toBe([1, 2, 0].map((minute) => `${JSON.stringify(result(minute))}\n`).join(''))
  expect(await readFile(cursorFile, 'utf8')).toBe('b\n')
  const second = await command({ script: [refused], args })
  expect([first, second].map(({ arrived }) => arrived[0]?.url.split('?')[1])).toEqual([
    'after=2026-11-20T00%3A00%3A00Z',
    'cursor=b',
  ])
})

test('following ends with the signal', async () => {
  const controller = new AbortController()
  const reply: Reply = (res) => {
    json(arrivals('a'))(res, { method: '', url: '', headers: {}, body: '' })
    setImmediate(() => controller.abort(new StopReason(143)))
  }
  const { code, err } = await command({ script: [reply], args: [...RESULTS, '--follow'], signal: controller.signal })
  expect([code, err]).toEqual([143, ''])
})

test('no results are an empty document', async () => {
  const none = [json(page())]
  expect((await command({ script: none, args: RESULTS })).out).toBe('[]\n')
  expect((await command({ script: none, args: [...RESULTS, '--format', 'ndjson'] })).out).toBe('')
})

test('since is where the results begin', async () => {
  const { arrived } = await command({ script: [json(page())], args: [...RESULTS, '--since', '2026-11-20T00:00:00Z'] })
  expect(arrived[0]?.url).toContain('/results?after=2026-11-20T00%3A00%3A00Z')
})

test('results that break off leave a document that does not parse, and say why', async () => {
  const { code, out, err } = await command({ script: [pages[0] as Reply, text(404, 'no check')], args: RESULTS })
  expect([code, err]).toEqual([1, 'dogwatch-account: 404: no check\n'])
  expect(() => JSON.parse(out)).toThrow()
})

test('a refusal is one line and the name of the request', async () => {
  const refusal = text(401, 'missing, malformed or unknown credential', { 'x-request-id': 'r-1' })
  const { code, out, err } = await command({ script: [refusal], args: ['checks'] })
  expect([code, out]).toEqual([1, ''])
  expect(err).toBe('dogwatch-account: 401: missing, malformed or unknown credential (request r-1)\n')
})

const wrongCalls: [string, string[], RegExp][] = [
  ['no command', [], /no command given/],
  ['an unknown command', ['frobnicate'], /unknown command "frobnicate"/],
  ['an unknown option', ['checks', '--all'], /--all/],
  ['results without a guid', ['results'], /--guid/],
  ['a cursor file without following', [...RESULTS, '--cursor-file', 'x'], /--follow/],
  ['one document that never ends', [...RESULTS, '--follow', '--format', 'json'], /ndjson/],
  ['export without a file', ['export'], /--out/],
  ['a format of its own', ['checks', '--format', 'xml'], /table, json, ndjson/],
  ['an option of another command', ['checks', '--since', 'x'], /no option --since/],
  ['a format for an export', ['export', '--out', 'x', '--format', 'table'], /no option --format/],
  ['more than it takes', ['checks', GUID], /accepts no arguments/],
  ['a server that is no URL', ['checks', '--server', 'example'], /baseUrl/],
  ['a token as an option', ['checks', '--token', 's3cr3t'], /DOGWATCH_TOKEN or use --token-file/],
  ['a token glued to an option', ['checks', '--token=s3cr3t'], /a token in the arguments is visible/],
  ['a token as an argument', ['checks', TOKEN], /a token in the arguments is visible/],
]
test.each(wrongCalls)('%s is a wrong call, told in one line', async (_, args, words) => {
  const { code, out, err, arrived } = await command({ args })
  expect([code, out, arrived.length]).toEqual([2, '', 0])
  expect(err).toMatch(/^dogwatch-account: [^\n]*\n$/)
  expect(err).toMatch(words)
})

test('without a server or a token it says what to set', async () => {
  expect(await command({ args: ['checks'], env: {} })).toMatchObject({
    code: 2,
    err: expect.stringContaining('SERVER'),
  })
  const env = { DOGWATCH_SERVER: 'http://127.0.0.1:1' }
  expect(await command({ args: ['checks'], env })).toMatchObject({ code: 2, err: expect.stringContaining('TOKEN') })
})

test('help and version need neither', async () => {
  expect((await command({ args: ['--help'], env: {} })).out).toMatch(/^usage: dogwatch-account/)
  expect((await command({ args: ['--version'], env: {} })).out).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('the token is read from a file, whose last line break does not matter', async () => {
  const file = join(await newFolder(), 'token')
  await writeFile(file, `${TOKEN}\n`)
  const { baseUrl, arrived } = await serve(json([]))
  const args = ['members', '--token-file', file, '--server', baseUrl]
  expect(await command({ args, env: {} })).toMatchObject({ code: 0 })
  expect(arrived[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  const missing = await command({ args: ['members', '--token-file', `${file}.no`] })
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('ENOENT') })
})

test('an export appears whole, and only its owner may read it', async () => {
  const folder = await newFolder()
  const document = exportOf(3000)
  const args = ['export', '--out', join(folder, 'all.json')]
  const { code, out, err } = await command({ script: [sendExport(document, { pieces: 9 })], args })
  expect([code, out, err]).toEqual([0, '', ''])
  expect(await readFile(join(folder, 'all.json'), 'utf8')).toBe(document)
  expect((await stat(join(folder, 'all.json'))).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['all.json'])
})

test('an export tells a terminal how far it is', async () => {
  const args = ['export', '--out', join(await newFolder(), 'all.json')]
  const { err } = await command({ script: [sendExport(exportOf(10))], args, terminal: true })
  expect(err).toMatch(/all\.json: 10 results, 0\.0 MB\n$/)
})

const whole = JSON.stringify(EXPORT)
const broken: [string, Reply][] = [
  ['that is cut short', sendExport(whole.slice(0, -1))],
  ['whose connection breaks', sendExport(whole.slice(0, 300), { then: 'break' })],
  ['that is not JSON', sendExport(whole.replace(':', ''))],
  ['that is something else', json({ checks: [] })],
  ['that is refused', text(403, 'no')],
]
test.each(broken)('an export %s leaves what was there before', async (_, reply) => {
  const folder = await newFolder()
  await writeFile(join(folder, 'all.json'), 'yesterday')
  const { code, err } = await command({ script: [reply], args: ['export', '--out', join(folder, 'all.json')] })
  expect(code).toBe(1)
  expect(err).toMatch(/^dogwatch-account: [^\n]+\n$/)
  expect(await readdir(folder)).toEqual(['all.json'])
  expect(await readFile(join(folder, 'all.json'), 'utf8')).toBe('yesterday')
})

test('an export to a place that cannot be written is not asked for', async () => {
  const folder = await newFolder()
  await symlink(folder, join(folder, 'link'))
  const ask = async (out: string) => command({ script: [sendExport(whole)], args: ['export', '--out', out] })
  for (const out of [folder, join(folder, 'no', 'all.json'), '/dev/null', join(folder, 'link')]) {
    const { code, err, arrived } = await ask(out)
    expect([code, arrived.length]).toEqual([1, 0])
    expect(err).toMatch(/^dogwatch-account: cannot (create|replace) [^\n]+\n$/)
  }
})

test('an export can go to stdout, and a cut one says so', async () => {
  const good = await command({ script: [sendExport(whole)], args: ['export', '--out', '-'] })
  expect([good.code, JSON.parse(good.out)]).toEqual([0, EXPORT])
  const cut = await command({ script: [sendExport(whole.slice(0, -1))], args: ['export', '--out', '-'] })
  expect([cut.code, cut.err]).toEqual([1, 'dogwatch-account: the export was cut short; request it again\n'])
})

/** The command as a process of its own, from source. */
function spawned(baseUrl: string, args: string[]) {
  const code = `import { main } from ${JSON.stringify(new URL('./main.ts', import.meta.url).href)}
    process.exitCode = await main()`
  return spawn(process.execPath, ['--input-type=module', '-e', code, 'dogwatch-account', ...args], {
    env: { ...process.env, NODE_OPTIONS: '', DOGWATCH_SERVER: baseUrl, DOGWATCH_TOKEN: TOKEN },
  })
}

test('a reader that has seen enough is no failure', async () => {
  const many = Array.from({ length: 500 }, (_, index) => result(index % 60, { response_sample: 'x'.repeat(500) }))
  let pages = 0
  const endless: Reply = (res) => {
    // Each page goes on from another place.
    const next = { after: `2026-11-20T10:00:00.${String(++pages).padStart(6, '0')}Z`, after_monitor: 'm' }
    json({ results: many, next })(res, undefined as never)
  }
  const { baseUrl } = await serve(endless)
  const child = spawned(baseUrl, [...RESULTS, '--format', 'ndjson'])
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  await firstEvent(child, child.stdout, 'data')
  child.stdout.destroy()
  expect(await once(child, 'close')).toEqual([0, null])
  expect(err).toBe('')
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s in the middle of an export leaves no file behind', async (name, wanted) => {
  const folder = await newFolder()
  const { baseUrl } = await serve(sendExport(whole.slice(0, 300), { then: 'silence' }))
  const child = spawned(baseUrl, ['export', '--out', join(folder, 'all.json')])
  while ((await readdir(folder)).length === 0 && child.exitCode === null) await pause(20)
  await pause(100)
  child.kill(name)
  expect(await once(child, 'close')).toEqual([wanted, null])
  expect(await readdir(folder)).toEqual([])
})
