// Measures what the pages of a full organisation cost against the account API's list of checks: time, CPU, bytes, and how soon
// a browser shows them.
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { foldHistory } from '../../packages/server/dist/domain/results/history.js'
import { depsOf, makeOrg, makeYear, settleTables } from '../lab/archive.ts'
import { type BenchServer, onStage, say } from '../lab/stage.ts'
import { A_YEAR, loadHistory, NINE_DAYS, openPages, type Page } from './console/org.ts'
import { paintFacts } from './console/paint.ts'
import { pageRequest, requests, serveTarget } from './support/arms.ts'
import { compare, cpuPerUnit, type Fact, p50, printFacts } from './support/report.ts'

const CHECKS = 100
/** Checks of another organisation, whose list must be nearly as fast. */
const MANY = 1000
const MANY_AT_MOST = 1.5
const MANY_BYTES = 60_000
const AT_MOST = 5

await onStage(async (stage) => {
  say(`loading an organisation of ${CHECKS} checks and a year of history; it takes about a minute`)
  await makeYear(stage)
  const [org, many] = [await makeOrg(stage, CHECKS, 'all'), await makeOrg(stage, MANY, 'all')]
  await loadHistory(stage.database, org, A_YEAR)
  await loadHistory(stage.database, many, NINE_DAYS)
  await foldHistory(depsOf(stage))
  await settleTables(stage)
  const target = await serveTarget(stage)
  const { list, pages, checks, manyChecks, painted } = await openPages(stage, org, many)
  const all = [list, ...pages, manyChecks]
  const arms = all.map(({ name, path, headers, mark }) =>
    requests(name, target, mark, (index) => pageRequest(path, headers[index % headers.length] ?? {})),
  )
  const cpu = cpuPerUnit()
  await compare(stage.flags, arms, {
    title: `console: ${CHECKS} checks, a year of history`,
    inFlight: 1,
    claims: [
      ...pages.map(({ name }) => [`${name} / list, p50`, name, list.name, p50, { atMost: AT_MOST }] as const),
      ...pages.map(({ name }) => [`${name} / list, CPU`, name, list.name, cpu] as const),
      ['many checks / checks, p50', manyChecks.name, checks.name, p50, { atMost: MANY_AT_MOST }],
      ['many checks / checks, CPU', manyChecks.name, checks.name, cpu],
    ],
  })
  printFacts(await byteFacts(target.server, list, [...pages, manyChecks]))
  printFacts(await paintFacts(`http://127.0.0.1:${target.server.port}`, painted))
})

/** Returns the compressed sizes of pages, and their ratios to that of the list. */
async function byteFacts(server: BenchServer, list: Page, pages: readonly Page[]): Promise<Fact[]> {
  const ofList = await bytesOf(server, list)
  const facts: Fact[] = [[`${list.name}, bytes of gzip`, ofList, 0]]
  for (const page of pages) {
    const bytes = await bytesOf(server, page)
    const isMany = page === pages.at(-1)
    facts.push([`${page.name}, bytes of gzip`, bytes, 0, isMany ? { atMost: MANY_BYTES } : {}])
    if (!isMany) facts.push([`${page.name} / list, bytes of gzip`, bytes / ofList, 2, { atMost: AT_MOST }])
  }
  return facts
}

async function bytesOf({ port }: BenchServer, { path, headers }: Page): Promise<number> {
  const request = get({ port, host: '127.0.0.1', path, headers: { ...headers[0], 'Accept-Encoding': 'gzip' } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  if (response.headers['content-encoding'] !== 'gzip') throw new Error(`${path} is not compressed`)
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) bytes += chunk.length
  return bytes
}
