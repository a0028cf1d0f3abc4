// The command dogwatch-config against a server: what it plans, applies and pulls, what it exits with, and what it never shows.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createChannel } from '@dogwatch/domain/channels/edit'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { run } from '../../../config-sdk/src/cli/main.ts'
import { configToken, configurator } from '../support/config-api.ts'
import { type Org, type World, world } from '../support/world.ts'

let w: World
let folder: string
let org: Org
let token: string
beforeAll(async () => {
  w = await world()
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-config-'))
})
beforeEach(async () => {
  org = await w.org('team')
  token = await configToken(w, org, { scopes: ['write', 'checks:secrets'] })
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await w.close()
})

interface Done {
  code: number
  out: string
  err: string
}

/** Runs the command; `input` is the file, which it reads from its standard input when it is asked for `-`. */
async function cli(args: string[], input = '', env: Record<string, string> = {}): Promise<Done> {
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 2 ** 24 }), new PassThrough({ highWaterMark: 2 ** 24 })]
  const code = await run({
    args,
    env: { DOGWATCH_URL: w.url, DOGWATCH_CONFIG_TOKEN: token, ...env },
    stdin: Readable.from([input]),
    stdout,
    stderr,
    signal: new AbortController().signal,
  })
  stdout.end()
  stderr.end()
  return { code, out: await text(stdout), err: await text(stderr) }
}

const FILE = `version: 1
defaults:
  checks: { interval_sec: 60 }
checks:
  router: { url: "tcp://router.example.com:22" }
  shop:
    name: Shop
    url: https://shop.example.com/health
    depends_on: router
    tags: [web]
heartbeats:
  backup: { cron: "30 2 * * *", cron_zone: Europe/Paris, grace_sec: 600 }
maintenance:
  saturday:
    scope: { checks: [shop], heartbeats: [backup] }
    starts_at: "2026-01-03T02:00"
    duration_sec: 3600
    zone: Europe/Paris
    rule: FREQ=WEEKLY;BYDAY=SA
`

test('a plan says what would be created, field by field, and changes nothing', async () => {
  const { code, out, err } = await cli(['plan', '-'], FILE)
  expect([code, err]).toEqual([2, ''])
  expect(out).toContain('+ check shop\n')
  expect(out).toMatch(/^ {4}url: https:\/\/shop\.example\.com\/health$/m)
  expect(out).toMatch(/\n\n4 to create, 0 to change, 0 to delete, 0 unchanged\.\n$/)
  expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
})

test('what was applied leaves no difference, and applying it again changes nothing', async () => {
  const applied = await cli(['apply', '-'], FILE)
  expect([applied.code, applied.err]).toEqual([0, ''])
  expect(applied.out).toMatch(/\n4 created, 0 changed, 0 deleted, 0 unchanged\.\n$/)
  const entries = await w.rows('select from audit_entries where org_id = $1', org.org_id)
  for (const args of [
    ['plan', '-'],
    ['apply', '-'],
    ['plan', '--prune', '-'],
  ]) {
    expect(await cli(args, FILE)).toEqual({
      code: 0,
      out: 'No changes: 4 items match the file.\n',
      err: '',
    })
  }
  expect(await w.rows('select from audit_entries where org_id = $1', org.org_id)).toHaveLength(entries.length)
})

test('a change is shown with what was before, and a machine can read the plan', async () => {
  await cli(['apply', '-'], FILE)
  const changed = FILE.replace('tags: [web]', 'timeout_sec: 5').replace('name: Shop', 'name: The shop')
  const { code, out } = await cli(['plan', '-'], changed, { FORCE_COLOR: '1' })
  expect(code).toBe(2)
  expect(out).toContain('\u001b[33m~ check shop\u001b[39m\n')
  const plain = await cli(['plan', '-'], changed, { NO_COLOR: '1', FORCE_COLOR: '1' })
  expect(plain.out).toBe(`~ check shop
    name: Shop → "The shop"
    tags: ["web"] removed
    timeout_sec: 5

0 to create, 1 to change, 0 to delete, 3 unchanged.
`)
  const machine = await cli(['plan', '--json', '-'], changed)
  expect(machine.code).toBe(2)
  expect(JSON.parse(machine.out)).toMatchObject({
    different: true,
    counts: { created: 0, replaced: 1, deleted: 0, unchanged: 3 },
    changes: expect.arrayContaining([expect.objectContaining({ action: 'replaced', kind: 'check', key: 'shop' })]),
  })
})

test('pruning deletes what has a key and stands in a section of the file, and nothing else', async () => {
  await cli(['apply', '-'], FILE)
  await w.checks(org, [{ name: 'By hand' }])
  const less = 'version: 1\nchecks:\n  router: { url: "tcp://router.example.com:22", interval_sec: 60 }\n'
  expect((await cli(['plan', '-'], less)).out).toBe('No changes: 1 item matches the file.\n')
  const plan = await cli(['plan', '--prune', '-'], less)
  expect(plan.code).toBe(2)
  expect(plan.out).toBe('- check shop\n\n0 to create, 0 to change, 1 to delete, 1 unchanged.\n')
  expect((await cli(['apply', '--prune', '-'], less)).code).toBe(0)
  const left = await w.rows('select name from checks where org_id = $1 and not deleted order by name', org.org_id)
  expect(left).toEqual([{ name: 'By hand' }, { name: 'router' }])
  expect(await w.rows('select from heartbeats where org_id = $1', org.org_id)).toHaveLength(1)
})

test('a plan with a token that reads says what it did not compare, and not that it is as the file says', async () => {
  const file =
    'version: 1\nchannels:\n  hook: { kind: slack, destination: { webhook_url: "https://hooks.slack.com/services/T0/B0/KEY" } }\n'
  await cli(['apply', '-'], file.replace('KEY', 'one'))
  const DOGWATCH_CONFIG_TOKEN = await configToken(w, org, { scopes: ['read'] })
  const plan = await cli(['plan', '-'], file.replace('KEY', 'two'), { DOGWATCH_CONFIG_TOKEN })
  expect(plan.out).toMatch(
    /secrets of these channels were not compared.*: hook\nNo changes in the compared fields of 1 item\.\n$/,
  )
  expect(plan.code).toBe(0)
})

test('a secret of the environment is stored, and stands in no output', async () => {
  const file = `version: 1
checks:
  api:
    url: https://api.example.com/
    interval_sec: 60
    headers: { Authorization: "Bearer \${API_TOKEN}", Accept: text/html }
    post_data: "plain"
`
  const outputs = [
    await cli(['plan', '-'], file, { API_TOKEN: 'hunter2-first' }),
    await cli(['apply', '-'], file, { API_TOKEN: 'hunter2-first' }),
    await cli(['plan', '-'], file, { API_TOKEN: 'hunter2-second' }),
    await cli(['apply', '--json', '-'], file, { API_TOKEN: 'hunter2-second' }),
    // What the file no longer says is still a secret.
    await cli(['plan', '-'], file.replace(/ {4}headers: .*\n/, '')),
    await cli(['plan', '--prune', '--allow-empty', '-'], 'version: 1\nchecks: {}\n'),
    await cli(['plan', '--prune', '--allow-empty', '--json', '-'], 'version: 1\nchecks: {}\n'),
    await cli(['pull', '-']),
  ]
  expect(outputs.map(({ code }) => code)).toEqual([2, 0, 2, 0, 2, 2, 2, 0])
  expect(outputs[4]?.out).toContain('headers: {"Accept":"text/html","Authorization":"(hidden)"} removed\n')
  expect(outputs[2]?.out).toContain('headers: "(from the environment)" → "(from the environment)"')
  for (const { out, err } of outputs) expect(out + err).not.toContain('hunter2')
  const [check] = await w.rows('select headers from checks where org_id = $1', org.org_id)
  expect(check?.headers).toMatchObject({ Authorization: 'Bearer hunter2-second' })
})

test('secrets of checks are pulled as variables, which are named, and their values by a token that reads them', async () => {
  const file = `version: 1
checks:
  api: { url: "https://api.example.com/", interval_sec: 60, headers: { Authorization: "\${T}", Accept: text/html } }
  also: { url: "https://ana:\${T}@api.example.com/?page=1&token=\${U}", interval_sec: 60, headers: { x-api-key: "\${T}" } }
  other: { url: "https://api.example.com/a\$\${b}", interval_sec: 60, headers: { Cookie: "\${U} \$\${X}" }, post_data: "\${B}" }
`
  const env = { T: 'hunter2', U: "hunter'3", B: 'hunter4\nhunter5' }
  expect((await cli(['apply', '-'], file, env)).code).toBe(0)
  const writing = { DOGWATCH_CONFIG_TOKEN: await configToken(w, org, { scopes: ['write'] }) }
  const pulled = await cli(['pull', '-'], '', writing)
  const hidden = [
    ...['ALSO_PASSWORD', 'ALSO_TOKEN', 'ALSO_X_API_KEY', 'API_AUTHORIZATION', 'OTHER_COOKIE', 'OTHER_BODY'],
  ]
  expect(pulled.err).toBe(`Set these variables before you plan or apply the file: ${hidden.join(', ')}\n`)
  expect(pulled.out).toContain('https://ana:${ALSO_PASSWORD}@api.example.com/?page=1&token=${ALSO_TOKEN}\n')
  expect(pulled.out).toContain('      Accept: text/html\n')
  const set = {
    ...{ ALSO_PASSWORD: 'hunter2', ALSO_TOKEN: "hunter'3", ALSO_X_API_KEY: 'hunter2', API_AUTHORIZATION: 'hunter2' },
    ...{ OTHER_COOKIE: "hunter'3 ${X}", OTHER_BODY: 'hunter4\nhunter5' },
  }
  const same = { code: 0, out: 'No changes: 3 items match the file.\n' }
  expect(await cli(['plan', '--prune', '-'], pulled.out, set)).toMatchObject(same)
  const may = await cli(['plan', '-'], pulled.out, { ...set, ...writing })
  expect([may.code, may.out]).toEqual([2, expect.stringContaining('cannot read them: also, api, other\n')])
  const wrong = await cli(['plan', '-'], pulled.out, { ...set, OTHER_BODY: 'hunter6' })
  expect([wrong.code, wrong.out]).toEqual([2, expect.stringContaining('post_data: "(from the environment)" → ')])

  const reading = { DOGWATCH_CONFIG_TOKEN: await configToken(w, org, { scopes: ['read'] }) }
  const blind = await cli(['plan', '-'], pulled.out, { ...set, OTHER_BODY: 'hunter6', ...reading })
  const names = 'cannot read them: also, api, other\n'
  expect([blind.code, blind.out]).toEqual([0, expect.stringContaining(names)])
  const values = join(folder, 'values')
  const refused = await cli(['pull', '-', '--variables-file', values], '', reading)
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('scope checks:secrets')])

  const knowing = { DOGWATCH_CONFIG_TOKEN: await configToken(w, org, { scopes: ['read', 'checks:secrets'] }) }
  const known = join(folder, 'known.yaml')
  const written = await cli(['pull', known, '--variables-file', values], '', knowing)
  const shared = 'ALSO_PASSWORD, ALSO_TOKEN, OTHER_COOKIE, OTHER_BODY'
  expect([written.code, written.err]).toEqual([0, expect.stringContaining(`: ${shared}\n`)])
  expect(await readFile(known, 'utf8')).toContain('      Authorization: ${ALSO_PASSWORD}\n')
  for (const name of [known, values]) expect((await stat(name)).mode & 0o777).toBe(0o600)
  const shell = await readFile(values, 'utf8')
  expect(shell).toContain(`ALSO_TOKEN='hunter'\\''3'\n`)
  const read = Object.fromEntries(
    [...shell.matchAll(/^(\w+)='((?:'\\''|[^'])*)'$/gm)].map(([, name, value]) => [
      name,
      value?.replaceAll("'\\''", "'"),
    ]),
  )
  expect(await cli(['plan', '--prune', known], '', { ...read, ...knowing })).toMatchObject(same)
  for (const { out, err } of [pulled, wrong, blind, refused, written]) expect(out + err).not.toContain('hunter')
})

test('a hidden value in a file keeps what the server has, and goes nowhere else', async () => {
  const file = `version: 1
checks:
  api: { url: "https://api.example.com/?token=hunter2", interval_sec: 60, headers: { Authorization: hunter3 } }
`
  expect((await cli(['apply', '-'], file)).code).toBe(0)
  const hidden = file.replaceAll(/hunter\d/g, '"***"').replace('token="***""', 'token=***"')
  expect(await cli(['plan', '-'], hidden)).toMatchObject({ code: 0, err: '' })
  const moved = await cli(['apply', '-'], hidden.replace('api.example.com', 'evil.example'))
  expect(moved.code).toBe(1)
  expect(moved.err).toMatch(
    /^stdin:3:\d+: checks\.api\.url must be given again with the value of "token", because the scheme, host or port of the target has changed/,
  )
  expect(moved.err).toMatch(
    /\nstdin:3:\d+: checks\.api\.headers\["Authorization"\] must be given again, because the scheme, host or port of the target has changed/,
  )
  const [check] = await w.rows('select url, headers from checks where org_id = $1', org.org_id)
  expect(check).toEqual({ url: 'https://api.example.com/?token=hunter2', headers: { Authorization: 'hunter3' } })
})

test('pruning refuses a section that is empty, unless it may be', async () => {
  await cli(['apply', '-'], FILE)
  const empty = 'version: 1\nchecks: {}\nheartbeats: {}\n'
  const refused = await cli(['apply', '--prune', '-'], empty)
  expect([refused.code, refused.out]).toEqual([1, ''])
  expect(refused.err).toMatch(/^stdin:2:1: checks is empty, .*--allow-empty.*\nstdin:3:1: heartbeats is empty/)
  expect((await cli(['apply', '-'], empty)).code).toBe(0)
  const allowed = await cli(['apply', '--prune', '--allow-empty', '-'], 'version: 1\nheartbeats: {}\nmaintenance: {}\n')
  expect(allowed.out).toContain('2 deleted')
})

test('the secret of a channel is pulled by nobody, and stays on the server when a file leaves it out', async () => {
  const file = `version: 1
channels:
  chat:
    kind: telegram
    destination: { telegram_chat: "-100123", telegram_token: "\${TELEGRAM_TOKEN}" }
`
  const env = { TELEGRAM_TOKEN: `123456789:AAF${'s'.repeat(32)}` }
  const planned = await cli(['plan', '-'], file, env)
  expect(planned.out).toContain('+ channel chat\n')
  expect((await cli(['apply', '-'], file, env)).code).toBe(0)
  const pulled = await cli(['pull', '-'])
  expect(pulled.out).toContain('  chat:\n    # Kept on the server: telegram_token\n    kind: telegram\n')
  expect(planned.out + pulled.out).not.toContain('sss')
  expect((await cli(['plan', '--prune', '-'], pulled.out)).code).toBe(0)
  expect((await cli(['plan', '-'], file, env)).code).toBe(0)
  expect((await cli(['plan', '-'], file, { TELEGRAM_TOKEN: `123456789:AAF${'t'.repeat(32)}` })).code).toBe(2)
})

test('what the server refuses is told by the place in the file, and nothing is changed', async () => {
  const refused = FILE.replace('interval_sec: 60', 'interval_sec: 1')
  // What the plan allows is asked only when everything can be read.
  for (const [file, told] of [
    [refused, /^stdin:5:3: checks\.router\.interval_sec must be at least \d+ on the team plan$/m],
    [
      refused.replace('Europe/Paris, grace', 'Europe/Nowhere, grace'),
      /^stdin:12:33: heartbeats\.backup\.cron_zone must be a time zone, such as Europe\/Paris$/m,
    ],
  ] as const) {
    const { code, out, err } = await cli(['apply', '-'], file)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(told)
  }
  expect(await w.rows('select from checks where org_id = $1', org.org_id)).toEqual([])
})

test('every fault that the server finds is told by its place, however many there are', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `check-${index}`)
  const checks = keys.map((key) => `  ${key}: { url: "https://shop.example.com/", interval_sec: 1 }\n`)
  const { code, err } = await cli(['plan', '-'], `version: 1\nchecks:\n${checks.join('')}`)
  const told = err.trimEnd().split('\n')
  const places = keys.map((key, index) => `stdin:${index + 3}:${key.length + 41}: checks.${key}.interval_sec must be`)
  expect(code).toBe(1)
  expect(told.map((line) => line.replace(/(must be) at least \d+ on the team plan$/, '$1'))).toEqual(places)
})

test('pull writes what was applied, and what it writes leaves no difference', async () => {
  await cli(['apply', '-'], FILE)
  await w.checks(org, [{ name: 'By hand' }])
  const file = join(folder, 'pulled.yaml')
  const pulled = await cli(['pull', file])
  expect([pulled.code, pulled.err]).toEqual([0, 'Items without a key are omitted (1); use --adopt to give them keys\n'])
  const written = await readFile(file, 'utf8')
  expect(written).toContain('    depends_on: router\n')
  expect((await cli(['plan', '--prune', file])).out).toBe('No changes: 4 items match the file.\n')
  expect(await cli(['pull', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('already exists; choose another file or add --force'),
  })
  expect((await cli(['pull', '-'])).out).toBe(written)
  const adopted = await cli(['pull', '--adopt', '--force', file])
  expect([adopted.code, adopted.err]).toEqual([0, ''])
  expect(await readFile(file, 'utf8')).toContain('  by-hand:\n')
  expect((await cli(['plan', file])).code).toBe(0)
})

test('a check of an earlier release whose thresholds contradict each other holds up nothing, and no new one is taken', async () => {
  const shop = `version: 1
checks:
  shop: { url: "https://shop.example.com/", interval_sec: 60, max_response_time_ms: 2000 }
`
  expect((await cli(['apply', '-'], shop)).code).toBe(0)
  await w.rows('update checks set degraded_over_ms = 3000 where org_id = $1', org.org_id)
  const { out: pulled } = await cli(['pull', '-'])
  const rule = 'checks.shop.degraded_over_ms must be less than max_response_time_ms (2000 ms)'
  const warned = new RegExp(`^stdin:\\d+:\\d+: warning: ${rule.replace(/[.()]/g, String.raw`\$&`)}\n$`)
  for (const [command, code, said] of [
    ['validate', 0, 'stdin is valid: checks 1\n'],
    ['plan', 0, 'No changes: 1 item matches the file.\n'],
  ] as const) {
    expect(await cli([command, '-'], pulled)).toEqual({ code, out: said, err: expect.stringMatching(warned) })
  }
  const renamed = pulled.replace('interval_sec: 60', 'interval_sec: 120')
  expect(await cli(['apply', '-'], renamed)).toMatchObject({ code: 0, err: expect.stringMatching(warned) })
  const other = await cli(['apply', '-'], renamed.replace('degraded_over_ms: 3000', 'degraded_over_ms: 2500'))
  expect(other).toMatchObject({
    code: 1,
    err: expect.stringMatching(`\nstdin:\\d+:\\d+: checks.shop.degraded_over_ms must`),
  })
  expect(await w.rows('select degraded_over_ms, interval_sec from checks where org_id = $1', org.org_id)).toEqual([
    { degraded_over_ms: 3000, interval_sec: 120 },
  ])
})

test('the example has a thing of each kind, and the commands of the workflow do what it says', async () => {
  const examples = fileURLToPath(new URL('../../../config-sdk/examples/', import.meta.url))
  const env = { TELEGRAM_TOKEN: `123456789:AAF${'s'.repeat(32)}`, API_TOKEN: 'a-token' }
  const file = await readFile(join(examples, 'dogwatch.yaml'), 'utf8')
  const workflow = await readFile(join(examples, 'drift.yml'), 'utf8')
  const commands = Array.from(workflow.matchAll(/@dogwatch\/config-sdk ([a-z -]+)/g), ([, words = '']) => words.trim())
  expect(commands).toEqual(['plan --prune', 'apply --prune', 'plan --prune'])
  const codes: number[] = []
  for (const words of commands) codes.push((await cli([...words.split(' '), '-'], file, env)).code)
  expect(codes).toEqual([2, 0, 0])
  const counts = await cli(['validate', '-'], file, env)
  expect(counts.out).toBe('stdin is valid: channels 1, checks 3, heartbeats 1, routes 1, maintenance 1\n')
})

test('a file and a token that cannot be used are told in one line', async () => {
  const missing = join(folder, 'missing.yaml')
  expect(await cli(['validate', missing])).toMatchObject({
    code: 1,
    err: `dogwatch-config: cannot read ${missing}: ENOENT\n`,
  })
  expect(await cli(['plan', '-'], FILE, { DOGWATCH_CONFIG_TOKEN: '' })).toMatchObject({
    code: 1,
    err: 'dogwatch-config: no token given; set DOGWATCH_CONFIG_TOKEN or use --token-file FILE\n',
  })
  const argued = await cli(['plan', '--server', 'dogwatch_cfg_x'])
  expect([argued.code, argued.err]).toEqual([1, expect.stringContaining('a token in the arguments is visible')])
  const wrong = await cli(['plan', '-'], FILE, { DOGWATCH_CONFIG_TOKEN: 'dogwatch_cfg_wrong' })
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(/^dogwatch-config: 401: /)])
  const reader = await configToken(w, org, { scopes: ['read'] })
  expect((await cli(['plan', '-'], FILE, { DOGWATCH_CONFIG_TOKEN: reader })).code).toBe(2)
  expect((await cli(['apply', '-'], FILE, { DOGWATCH_CONFIG_TOKEN: reader })).err).toMatch(/^dogwatch-config: 403: /)
  const file = join(folder, 'token')
  await writeFile(file, `${token}\n`)
  expect((await cli(['plan', '--token-file', file, '-'], FILE, { DOGWATCH_CONFIG_TOKEN: '' })).code).toBe(2)
})

test('validate needs no server, and whoever calls it wrongly is told how', async () => {
  const offline = { DOGWATCH_URL: '', DOGWATCH_CONFIG_TOKEN: '' }
  expect(await cli(['validate', '-'], FILE, offline)).toEqual({
    code: 0,
    out: 'stdin is valid: checks 2, heartbeats 1, maintenance 1\n',
    err: '',
  })
  expect((await cli(['validate', '-'], 'version: 1\nchecks: { a: {} }', offline)).code).toBe(1)
  const variables = 'version: 1\nchecks: { a: { url: "${A_URL}", interval_sec: 60, headers: { X-B: "${B}" } } }'
  expect(await cli(['validate', '-'], variables, { ...offline, B: 'b' })).toEqual({
    code: 0,
    out: 'stdin is valid: checks 1\nNot set in the environment: A_URL\n',
    err: '',
  })
  expect(await cli(['plant'])).toMatchObject({ code: 1, err: expect.stringContaining("unknown command 'plant'") })
  expect(await cli(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('DOGWATCH_CONFIG_TOKEN') })
})

test('routes stand in the order of the file, and a plan says when they do not', async () => {
  const { id } = await createChannel(w.deps, org.org_id, { name: 'ops', kind: 'ntfy', ntfy_topic: 'ops' })
  const routes = (...keys: string[]) =>
    `version: 1\nroutes:\n${keys.map((key) => `  ${key}: { scope: { all: true }, steps: [{ channels: ["id:${id}"] }] }\n`).join('')}`
  expect(await cli(['apply', '-'], routes('a', 'b', 'c'))).toMatchObject({ code: 0, err: '' })
  const order = async () => {
    const { body } = await configurator(w, token)('get', '/routes')
    return (body as { routes: { key?: string; name: string }[] }).routes.map(({ key, name }) => key ?? name)
  }
  expect(await order()).toEqual(['a', 'b', 'c'])
  await configurator(w, token)('post', '/routes', {
    name: 'By hand',
    scope: { all: true },
    steps: [{ channels: [String(id)] }],
  })
  const moved = await cli(['plan', '-'], routes('d', 'c', 'a', 'b'))
  expect([moved.code, moved.out]).toEqual([2, expect.stringContaining('~ order of routes\n    d, c, a, b\n')])
  expect((await cli(['apply', '-'], routes('d', 'c', 'a', 'b'))).code).toBe(0)
  expect(await order()).toEqual(['d', 'c', 'a', 'By hand', 'b'])
  expect((await cli(['plan', '-'], routes('d', 'c', 'a', 'b'))).code).toBe(0)
  // Keys that look like numbers would come first in an object.
  expect((await cli(['apply', '--prune', '-'], routes('d', '7', 'a', '0'))).code).toBe(0)
  expect(await order()).toEqual(['d', '7', 'By hand', 'a', '0'])
  expect((await cli(['plan', '--prune', '-'], (await cli(['pull', '-'])).out)).code).toBe(0)
})

test('a plan is applied only while everything is as it found it', async () => {
  const checks = (interval_sec: number) =>
    `version: 1\nchecks:\n  shop: { url: "https://shop.example.com/", interval_sec: ${interval_sec} }\n  new: { url: "https://new.example.com/", interval_sec: 60 }\n`
  await cli(['apply', '-'], checks(60).split('  new:')[0] ?? '')
  const plan = join(folder, 'plan.json')
  const planned = async (text: string) => writeFile(plan, (await cli(['plan', '--json', '-'], text)).out)
  const apply = (text: string) => cli(['apply', '--planned', plan, '-'], text)
  await planned(checks(90))
  await configurator(w, token)('patch', '/checks/key:shop', { timeout_sec: 5 })
  expect(await apply(checks(90))).toMatchObject({ code: 1, err: expect.stringContaining('shop') })
  expect((await configurator(w, token)('get', '/checks/key:new')).status).toBe(404)
  await planned(checks(90))
  expect(await apply(`${checks(90)}heartbeats: { job: { interval_sec: 60 } }\n`)).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'the plan does not cover the heartbeat job, so it does not match this file; create a new plan',
    ),
  })
  expect(await apply(checks(90))).toMatchObject({ code: 0, out: expect.stringContaining('1 created, 1 changed') })
  expect((await apply('version: 1\n')).err).toContain('the plan contains more items than the file')
  await writeFile(plan, '{}')
  expect((await apply(checks(90))).err).toContain('does not contain a plan; create the plan with plan --json')
})

test('maintenance windows that are over are not pulled, and stay when others are pruned', async () => {
  const starts_at = new Date(w.clock.now().getTime() + 60 * 60_000).toISOString().slice(0, 16)
  const upgrade = `  upgrade: { scope: { all: true }, starts_at: "${starts_at}", duration_sec: 3600 }\n`
  expect((await cli(['apply', '-'], FILE + upgrade)).code).toBe(0)
  w.clock.forward(3 * 3600)
  const pulled = await cli(['pull', '-'])
  expect(pulled.out).toContain('\n# 1 completed maintenance window is omitted.\n')
  expect(pulled.out).toContain('  saturday:\n')
  expect(pulled.out).not.toContain('upgrade')
  expect(await cli(['plan', '--prune', '-'], pulled.out)).toMatchObject({ code: 0, err: '' })
  expect((await cli(['plan', '--prune', '-'], FILE + upgrade)).code).toBe(0)
})
