// What dogwatch-config import-from makes of another tool's files is applied to a server, and leaves no difference.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { channelKinds } from '@dogwatch/channels/registry'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { run } from '../../../config-sdk/src/cli/main.ts'
import { REQUIRED } from '../../../config-sdk/src/import/channel-fields.gen.ts'
import {
  environmentOf,
  given,
  type World as Moved,
  removeFolder,
  WILD,
  WORLDS,
} from '../../../config-sdk/test/import/worlds.ts'
import { configToken } from '../support/config-api.ts'
import { type World, world } from '../support/world.ts'

let w: World
let folder: string
beforeAll(async () => {
  w = await world()
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-import-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  removeFolder()
  await w.close()
})

test.each([...WORLDS, ...WILD])('$name: the file is applied, and a plan of it is empty', async (moved) => {
  const token = await configToken(w, await w.org('team'), { scopes: ['write', 'checks:secrets'] })
  const { file, env } = await move(moved)
  const cli = (...args: string[]) => command(args, { DOGWATCH_URL: w.url, DOGWATCH_CONFIG_TOKEN: token, ...env })
  const applied = await cli('apply', file)
  expect([applied.err, applied.code]).toEqual(['', 0])
  const plan = await cli('plan', file)
  expect(plan).toEqual({
    code: 0,
    out: expect.stringMatching(/^No changes: \d+ (?:items match|item matches) the file\.\n$/),
    err: '',
  })
})

test('importers know the fields that the server requires of each kind', () => {
  const required = channelKinds().map(({ name, fields }): [string, string[]] => {
    return [name, Object.keys(fields).filter((field) => fields[field]?.isOptional !== true)]
  })
  expect(REQUIRED).toEqual(new Map(required))
})

/** Runs the command as people do, and reads the variables that it wrote for them. */
async function move({ name, tool, files }: Moved): Promise<{ file: string; env: Record<string, string> }> {
  const file = join(folder, `${name}.yaml`)
  const variables = join(folder, `${name}.env`)
  const { code, err } = await command([
    'import-from',
    tool,
    ...files.map(given),
    '--output',
    file,
    '--variables-file',
    variables,
  ])
  expect([err, code]).toEqual(['', 0])
  const lines = (await readFile(variables, 'utf8')).split('\n').filter((line) => line !== '')
  const entries = lines.map((line): [string, string] => {
    const [key = '', value = ''] = line.split(/=(.*)/s)
    const filled = value.slice(1, -1).replaceAll(String.raw`'\''`, "'")
    return [key, filled || (environmentOf([{ name: key, from: '', value: undefined }])[key] ?? '')]
  })
  return { file, env: Object.fromEntries(entries) }
}

async function command(args: string[], env: Record<string, string> = {}) {
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 2 ** 24 }), new PassThrough({ highWaterMark: 2 ** 24 })]
  const signal = new AbortController().signal
  const code = await run({ args, env, stdin: Readable.from(['']), stdout, stderr, signal })
  stdout.end()
  stderr.end()
  return { code, out: await text(stdout), err: await text(stderr) }
}
