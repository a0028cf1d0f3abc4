// The laws hold because they can fail: each breach of a made-up tree is found, and a sound tree has none.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import {
  breachesOf,
  doorBreaches,
  findCircle,
  findUnused,
  type Laws,
  readHouse,
  readSources,
  sourceOf,
} from '../../../../scripts/testing/laws.ts'

let folder = ''
afterEach(() => rm(folder, { recursive: true, force: true }))

async function build(files: Record<string, string>): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'dogwatch-laws-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
}

async function breachesIn(files: Record<string, string>, laws: Partial<Laws> = {}): Promise<string[]> {
  await build(files)
  return breachesOf(readSources(folder), {
    rooms: { attic: ['hall', 'cellar'], hall: ['cellar'], cellar: [] },
    ...laws,
  })
}

const long = (lines: number) => `const a = 1\n`.repeat(lines)

test('a tree that keeps the laws has no breach', async () => {
  const breaches = await breachesIn({
    'attic/roof.ts': "import { floor } from '../hall/floor.ts'\nimport type { Coal } from '../cellar/coal.ts'\n",
    'hall/floor.ts': `import { coal } from '../cellar/coal.ts'\nexport function floor() {\n${long(78)}}\n`,
    'cellar/coal.ts': long(400),
    'cellar/coal.test.ts': "import { roof } from '../attic/roof.ts'\n",
    'hall/wire.gen.ts': long(5000),
  })
  expect(breaches).toEqual([])
})

test('an import upwards is a breach, also of a type and on demand', async () => {
  const breaches = await breachesIn({
    'attic/roof.ts': 'export const roof = 1\n',
    'hall/a.ts': "import { roof } from '../attic/roof.ts'\n",
    'hall/b.ts': "import type {\n  Roof,\n} from '../attic/roof.ts'\n",
    'hall/c.ts': "export const load = () => import('../attic/roof.ts')\n",
    'cellar/d.ts': "export { roof } from '../attic/roof.ts'\n",
    'cellar/e.ts': "import '../hall/a.ts'\n",
  })
  expect(breaches).toEqual([
    'cellar/d.ts must not import attic/roof.ts',
    'cellar/e.ts must not import hall/a.ts',
    'hall/a.ts must not import attic/roof.ts',
    'hall/b.ts must not import attic/roof.ts',
    'hall/c.ts must not import attic/roof.ts',
  ])
})

test('a file that stands in no room is a breach', async () => {
  expect(await breachesIn({ 'shed/tool.ts': '', 'loose.ts': '' })).toEqual([
    'loose.ts stands in no room',
    'shed/tool.ts stands in no room',
  ])
})

test('a circle is a breach even inside a room, and one at run time is told apart', async () => {
  const types = { 'hall/a.ts': "import type { B } from './b.ts'\n", 'hall/b.ts': "import { a } from './a.ts'\n" }
  expect(await breachesIn(types)).toEqual(['a circle of imports: hall/a.ts -> hall/b.ts -> hall/a.ts'])
  await rm(folder, { recursive: true })
  expect(await breachesIn({ ...types, 'hall/a.ts': "const b = await import('./b.ts')\n" })).toEqual([
    'a circle of imports: hall/a.ts -> hall/b.ts -> hall/a.ts',
    'a circle of imports at run time: hall/a.ts -> hall/b.ts -> hall/a.ts',
  ])
})

test('a package that is not allowed is a breach', async () => {
  const files = {
    'hall/a.ts': "import { x } from '@dogwatch/server'\nimport { y } from '@dogwatch/contract/monitor'\n",
  }
  expect(await breachesIn(files, { packages: ['@dogwatch/contract'] })).toEqual([
    'hall/a.ts must not import @dogwatch/server',
  ])
})

test('a file and a function that are too long are breaches, whatever kind of function it is', async () => {
  const breaches = await breachesIn({
    'cellar/a.ts': long(401),
    'cellar/b.ts': `export function f(\n  one: string,\n): void {\n${long(80)}}\n`,
    'cellar/c.ts': `class C {\n  async m(): Promise<{ a: 1 }> {\n${`    x()\n`.repeat(79)}  }\n}\n`,
    'cellar/d.ts': `const g = async ({ a }) => {\n${`  x()\n`.repeat(79)}}\n`,
  })
  expect(breaches).toEqual([
    'cellar/a.ts has 401 lines, and at most 400 are allowed',
    'cellar/b.ts:1: this function has 84 lines, and at most 80 are allowed',
    'cellar/c.ts:2: this function has 81 lines, and at most 80 are allowed',
    'cellar/d.ts:1: this function has 81 lines, and at most 80 are allowed',
  ])
})

test('an import past a door is a breach, but not through it, nor by the folder and its friends', () => {
  const past = "import type { Coal } from '../cellar/heap/coal.ts'\n"
  const sources = [
    sourceOf('hall/a.ts', past),
    sourceOf('hall/b.ts', "import { coal } from '../cellar/coal.ts'\n"),
    sourceOf('boiler/c.ts', past),
    sourceOf('cellar/coal.ts', "export { coal } from './heap/coal.ts'\n"),
  ]
  expect(doorBreaches(sources, { folder: 'cellar', inner: ['heap'], friends: ['boiler'] })).toEqual([
    'hall/a.ts must not import cellar/heap/coal.ts',
  ])
})

test('floors that are packages are folders of one tree, in which imports by name count', async () => {
  await build({
    'server/src/bin/a.ts': "import { b } from '@dogwatch/channels/slack/b'\n",
    'channels/src/slack/b.ts': "import { c } from '@dogwatch/runtime/c'\nimport { d } from '../d.ts'\n",
    'channels/src/d.ts': '',
    'runtime/src/c.ts': "import { b } from '@dogwatch/channels/slack/b'\n",
    'embedded-postgres/src/e.ts': "import { x } from '@dogwatch/check-rules/x'\n",
    'domain/src/f.ts': "import { g } from '@dogwatch/store/g'\n",
    'store/src/g.ts': '',
    'alerting/src/h.ts': '',
    'api/src/i.ts': '',
    'console/src/j.ts': '',
  })
  const house = readHouse(folder)
  expect(Object.fromEntries(house.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))).toEqual({
    'alerting/h.ts': [],
    'api/i.ts': [],
    'bin/a.ts': ['channels/slack/b.ts'],
    'channels/d.ts': [],
    'channels/slack/b.ts': ['channels/d.ts', 'runtime/c.ts'],
    'console/j.ts': [],
    'domain/f.ts': ['store/g.ts'],
    'embedded-postgres/e.ts': [],
    'runtime/c.ts': ['channels/slack/b.ts'],
    'store/g.ts': [],
  })
  expect(findUnused(house, ['store/g', 'store/h', 'channels/d'])).toEqual(['store/h', 'channels/d'])
  expect(findCircle(house)).toEqual(['channels/slack/b.ts', 'runtime/c.ts', 'channels/slack/b.ts'])
})
