// What the pages of a full org cost compared with the account API's list of checks: time, CPU and bytes.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createPersonalToken } from '../../packages/server/dist/domain/organisations/personal-tokens.js'
import { openSession } from '../../packages/server/dist/domain/people/sessions.js'
import { foldHistory } from '../../packages/server/dist/domain/results/history.js'
import { editStatusPage } from '../../packages/server/dist/domain/status-page/edit.js'
import { depsOf, makeOrg, makeYear, settleTables } from '../lab/archive.ts'
import { type BenchServer, onStage, say } from '../lab/stage.ts'
import { paintFacts } from './console/paint.ts'
import {
  A_YEAR,
  AN_INCIDENT,
  type Asked,
  CHECKS,
  LIST,
  listOfMany,
  loadHistory,
  MANY,
  NINE_DAYS,
  pageArm,
  THE_CHECKS,
  THE_MANY,
  THE_OVERVIEW,
  whatIsAsked,
} from './support/console-org.ts'
import { cpuPerUnit, percentile, printArms, printClaims, printFacts } from './support/report.ts'
import { interleave } from './support/rounds.ts'

const MANY_AT_MOST = 1.5
const MANY_BYTES = 60_000
const AT_MOST = 5

await onStage(async (stage) => {
  say(`loading an org of ${CHECKS} checks and a year of history; it takes about a minute`)
  await makeYear(stage)
  const org = await makeOrg(stage, CHECKS, 'all')
  await loadHistory(stage.database, org, A_YEAR)
  const many = await makeOrg(stage, MANY, 'all')
  await loadHistory(stage.database, many, NINE_DAYS)
  const deps = depsOf(stage)
  await foldHistory(deps)
  await settleTables(stage)
  const server = await stage.serve()
  const make = { createPersonalToken, editStatusPage, openSession }
  const asked = [...(await whatIsAsked(stage.database, deps, org, make)), await listOfMany(deps, many, make)]
  const arms = asked.map((one) => pageArm(server, stage.postgres, one))
  const measured = await interleave(arms, { ...stage.flags, inFlight: 1 })
  process.stdout.write(`\nconsole: ${CHECKS} checks, a year of history; requests one at a time\n\n`)
  const [p50, cpu] = [percentile(0.5), cpuPerUnit()]
  printArms(measured, [
    { title: 'p50 ms', of: p50, digits: 2, spread: true },
    { title: 'p99 ms', of: percentile(0.99), digits: 2 },
    { title: 'server us', of: cpuPerUnit('server'), digits: 0 },
    { title: 'postgres us', of: cpuPerUnit('postgres'), digits: 0 },
  ])
  const target = { atMost: AT_MOST }
  const pages = asked.slice(1, -1).map(({ name }) => name)
  const [top, bottom] = [THE_MANY, THE_CHECKS]
  printClaims(measured, [
    ...pages.map((top) => ({ what: `${top} / list, p50`, top, bottom: LIST, of: p50, target })),
    ...pages.map((top) => ({ what: `${top} / list, CPU`, top, bottom: LIST, of: cpu })),
    { what: `${top} / ${bottom}, p50`, top, bottom, of: p50, target: { atMost: MANY_AT_MOST } },
    { what: `${top} / ${bottom}, CPU`, top, bottom, of: cpu },
  ])
  await compareBytes(server, asked)
  const painted = asked.filter(({ name }) => [THE_OVERVIEW, AN_INCIDENT, THE_MANY].includes(name))
  printFacts(await paintFacts(`http://127.0.0.1:${server.port}`, painted))
})

async function compareBytes(server: BenchServer, asked: readonly Asked[]): Promise<void> {
  const sizes = []
  for (const one of asked) {
    sizes.push({
      name: one.name,
      plain: await bytesOf(server, one, 'identity'),
      gzip: await bytesOf(server, one, 'gzip'),
    })
  }
  const many = sizes.pop()
  const [list, ...pages] = sizes
  if (!list || !many) return
  printFacts([
    { what: `${many.name}, bytes of gzip`, value: many.gzip, digits: 0, atMost: MANY_BYTES },
    ...sizes.map(({ name, plain }) => ({ what: `${name}, bytes`, value: plain, digits: 0 })),
    // What crosses the network is compressed.
    ...pages.map(({ name, plain }) => ({ what: `${name} / list`, value: plain / list.plain })),
    ...sizes.map(({ name, gzip }) => ({ what: `${name}, bytes of gzip`, value: gzip, digits: 0 })),
    ...pages.map(({ name, gzip }) => ({ what: `${name} / list, gzip`, value: gzip / list.gzip, atMost: AT_MOST })),
  ])
}

/** Size of the body as it is sent. */
async function bytesOf({ port }: BenchServer, { path, headers }: Asked, encoding: string): Promise<number> {
  const request = get({ port, host: '127.0.0.1', path, headers: { ...headers[0], 'Accept-Encoding': encoding } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if ((response.headers['content-encoding'] ?? 'identity') !== encoding) throw new Error(`${path} is not ${encoding}`)
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  return bytes
}
