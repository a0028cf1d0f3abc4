// In an archive the server is a few files. Those that it starts in a process or a thread of their own must be among them.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { FairThread } from '@dogwatch/runtime/fair-thread'
import { beforeAll, expect, test } from '@jest/globals'
import { ROOMS, readSources } from '../../../../scripts/testing/laws.ts'
import type { JobResult, TemplateJob } from '../../../channels/src/webhook-template/apart.ts'
import { bundleServer } from '../../packaging/bundle.ts'
import { shippedServer } from '../support/shipped-server.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))
/** The name of a module, with an ending that is either of two. */
const BESIDE = /new URL\([`'"](\.\/[\w-]+)(?:\.js|\$\{\w[^}`]*\}|\.\$\{\w[^}`]*\})[`'"], import\.meta\.url\)/g

let shipped: string
beforeAll(async () => {
  shipped = join(dirname(await shippedServer()), '..', '..', '..')
})

test('every module that another one names beside itself is handed out', () => {
  const named = ['server', ...ROOMS].flatMap((room) =>
    readSources(join(PACKAGES, room, 'src')).flatMap(({ path, text }) =>
      Array.from(text.matchAll(BESIDE), ([, name = '']) => join(room, 'dist', dirname(path), `${name}.js`)),
    ),
  )
  expect(named.toSorted()).toEqual([
    'channels/dist/webhook-template/render-thread.js',
    'embedded-postgres/dist/guard-process.js',
  ])
  expect(named.filter((path) => !existsSync(join(shipped, path)))).toEqual([])
})

test('all of it was built, because sources do not know where they lie in an archive', async () => {
  const { code } = await bundleServer()
  const sources = Array.from(code.values(), (text) => text.match(/^\/\/ packages\/[^/]+\/src\/.*$/gm) ?? [])
  expect(sources.flat()).toEqual([])
})

test('the thread that renders templates runs', async () => {
  const script = pathToFileURL(join(shipped, 'channels/dist/webhook-template/render-thread.js'))
  const bounds = { heap_mb: 128, tries_ms: [1000], wait_ms: 60_000, stuck_ms: 60_000 } as const
  const thread = new FairThread<TemplateJob, JobResult>({ ...bounds, script, waiting: { of_owner: 1, in_all: 1 } })
  for (const [template, fault] of [
    ['{{ message }}', undefined],
    ['{{ message', expect.stringMatching(/./)],
  ] as const) {
    expect(await thread.run(1, { kind: 'try', template, isJson: false })).toEqual({ answer: { fault } })
  }
})
