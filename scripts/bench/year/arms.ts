// The measured work, the same on each database: an upload, a page of results, an export, two pages of the console, two
// syncs.
import { fileURLToPath } from 'node:url'
import { type Lane, openLanes, request } from '../../lab/lane.ts'
import type { BenchServer } from '../../lab/stage.ts'
import { batchMaker, toRequest } from '../support/batches.ts'
import { download } from '../support/download.ts'
import type { Arm } from '../support/rounds.ts'
import type { Year, YearOrg } from './load.ts'

export const WORK = [
  'ingest',
  'results page',
  'export',
  'console: checks',
  'console: a check, 24 h',
  'console: a check, a year',
  'sync, full',
  'sync, idle',
] as const
type Work = (typeof WORK)[number]

const APP = fileURLToPath(new URL('../support/app.ts', import.meta.url))
/** About the middle of a year. */
const MIDDLE_DAYS = 180

/** Each asks for another org in turn: for large ones, except the export, whose length depends on its org. */
export async function armsOf({ name, stage, orgs, writers }: Year): Promise<Arm[]> {
  // The limits of tokens would get in the way of the former, and the latter are pages of the console.
  const [server, unlimited] = [await stage.serve(), await stage.serve({ BENCH_TOKEN_LIMITS: 'off' }, APP)]
  const [large, few] = [orgs.filter(({ plan }) => plan === 'team'), orgs.filter(({ plan }) => plan === 'free')]
  const makeBatch = batchMaker(writers, () => false)
  const after = new Date(Date.now() - MIDDLE_DAYS * 86_400_000).toISOString()
  let since = new Date().toISOString()
  const arm = (work: Work, by: BenchServer, step: (index: number) => Promise<unknown>): Arm => ({
    name: `${work}, ${name}`,
    meters: [by.meter, stage.postgres],
    unitsPerStep: 1,
    step: async (index) => void (await step(index)),
  })
  const [send, read] = [sender(server), sender(unlimited)]
  const org = (some: readonly YearOrg[], index: number): YearOrg => some[index % some.length] as YearOrg
  const guid = ({ guids }: YearOrg, index: number): string => guids[(index * 7) % guids.length] as string
  const page = async (index: number, path: string, { session }: YearOrg, mark: string): Promise<void> => {
    const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: dogwatch-session=${session}\r\n\r\n`
    requirePart(await send(index, Buffer.from(head)), mark)
  }
  const check = (index: number, period: string): Promise<void> => {
    const of = org(large, index)
    return page(index, `/checks/${guid(of, index)}?period=${period}`, of, guid(of, index))
  }
  return [
    arm('ingest', server, async (index) => {
      const batch = makeBatch()
      requirePart(await send(index, toRequest(batch)), `{"accepted":${batch.results.length}}`)
    }),
    arm('results page', unlimited, async (index) => {
      const of = org(large, index)
      const path = `/checks/${guid(of, index)}/results?after=${after}`
      requirePart(await read(index, request('GET', path, { key: of.token, api: 'account-api' })), '"next"')
    }),
    arm('export', unlimited, (index) =>
      download(unlimited.port, request('GET', '/export', { key: org(few, index).token, api: 'account-api' })),
    ),
    arm('console: checks', server, (index) =>
      page(index, '/checks', org(large, index), org(large, index).guids.at(-1) ?? ''),
    ),
    arm('console: a check, 24 h', server, (index) => check(index, '24h')),
    arm('console: a check, a year', server, (index) => check(index, '1y')),
    arm('sync, full', server, async (index) => {
      const { monitor, guids } = org(large, index)
      requirePart(await send(index, request('GET', '/checks', { key: monitor.key })), guids[0] ?? '')
    }),
    arm('sync, idle', server, async (index) => {
      const { monitor } = org(large, index)
      const body = await send(index, request('GET', `/checks?since=${since}`, { key: monitor.key }))
      const answer = JSON.parse(body.toString()) as { checks: unknown[]; server_time: string }
      if (answer.checks.length > 0) throw new Error('an idle sync told of checks')
      since = answer.server_time
    }),
  ]
}

/**
 * On a connection that is new at the first step of a slice, because the server closes idle ones while others are
 * measured.
 */
function sender({ port }: BenchServer): (index: number, bytes: Buffer) => Promise<Buffer> {
  let lane: Lane | undefined
  return async (index, bytes) => {
    if (index === 0) lane?.close()
    if (index === 0 || !lane) [lane] = await openLanes(port, 1)
    if (!lane) throw new Error('no connection')
    return lane.send(bytes)
  }
}

function requirePart(body: Buffer, part: string): void {
  if (part === '' || !body.includes(part))
    throw new Error(`an answer without ${part}: ${body.toString('utf8', 0, 300)}`)
}
