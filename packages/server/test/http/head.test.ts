// Whatever can be read can be asked for its headers alone: the same status, headers and limits as a GET, and no body.

import { STYLE_PATH } from '@dogwatch/console/assets'
import { createHeartbeat } from '@dogwatch/domain/heartbeats/edit'
import { setStatusPage } from '@dogwatch/domain/organisations/organisation'
import { openSession } from '@dogwatch/domain/people/sessions'
import { editStatusPage } from '@dogwatch/domain/status-page/edit'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { exchange } from '../../../api/test/support/raw-http.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { OPERATIONS } from '../support/operations.ts'
import { ACCOUNT, type Org, result, type World, world } from '../support/world.ts'

let w: World
let org: Org
let guid = ''
/** The credential of each kind. */
let credentials: Record<string, string> = {}
beforeAll(async () => {
  w = await world()
  org = await w.org()
  const monitor = await w.monitor(org)
  ;[guid = ''] = await w.checks(org, [{}], 'all')
  await monitor.client.upload([result(guid)])
  credentials = { monitorKey: `Bearer ${monitor.key}`, personalAccessToken: `Bearer ${await w.pat(org)}` }
  await setStatusPage(w.deps, org.org_id, true)
  await editStatusPage(w.deps, org.org_id, { slug: 'shop', title: 'Shop', description: '', entries: [] })
})
afterAll(() => w.close())

/** Of each answer, or of each connection. */
const OWN = ['date', 'x-request-id', 'keep-alive', 'connection', 'transfer-encoding']

async function ask(method: string, path: string, headers: Record<string, string>) {
  const lines = Object.entries({ host: 'x', connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const request = [`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  const { answers, rest } = await exchange(Number(new URL(w.direct).port), [request], { isHead: method === 'HEAD' })
  const [answer] = answers
  const given = Object.entries(answer?.headers ?? {}).filter(([name]) => !OWN.includes(name))
  // A guest's cookie is made of chance.
  const told = given.map(([name, value]) => [name, name === 'set-cookie' ? value.replace(/=[^;]*/, '') : value])
  return { status: answer?.status, headers: Object.fromEntries(told), beyond: method === 'HEAD' ? rest.toString() : '' }
}

async function isTheSame(path: string, headers: Record<string, string> = {}, status = 200) {
  const [read, headed] = [await ask('GET', path, headers), await ask('HEAD', path, headers)]
  expect(headed).toEqual({ ...read, beyond: '' })
  expect(read.status).toBe(status)
}

describe.each(OPERATIONS.filter(({ method }) => method === 'get'))('$name', ({ path: template, scheme }) => {
  const path = () => template.replace('{guid}', guid)

  test.each(['gzip', 'identity'])('let in, %s', (coding) =>
    isTheSame(path(), { authorization: credentials[scheme] ?? '', 'accept-encoding': coding }),
  )

  test('refused', () => isTheSame(path(), {}, 401))
})

test('an unknown check, a malformed time and an unknown path', async () => {
  const headers = { authorization: credentials.personalAccessToken ?? '' }
  await isTheSame(`${ACCOUNT}/checks/nobody`, headers, 404)
  await isTheSame(`${ACCOUNT}/checks/${guid}/results?after=now`, headers, 400)
  await isTheSame(`${ACCOUNT}/nothing`, headers, 404)
  await isTheSame('/nothing', { accept: 'text/html' }, 404)
  await isTheSame('/nothing', {}, 404)
})

test('every page, for its owner and for a stranger', async () => {
  const cookie = `dogwatch-session=${await openSession(w.deps, org.owner_id, org.org_id)}`
  for (const { path: template } of ROUTES.filter(({ method }) => method === 'GET')) {
    const path = template.replace(/:\w+/g, '1')
    for (const headers of [{ cookie }, { accept: 'text/html' }]) {
      const [read, headed] = [await ask('GET', path, headers), await ask('HEAD', path, headers)]
      expect({ path, ...headed }).toEqual({ path, ...read, beyond: '' })
    }
  }
})

test('a status page in both its forms, a stylesheet, a ping', async () => {
  await isTheSame('/status/shop')
  await isTheSame('/status/shop.json')
  await isTheSame('/status/nobody', {}, 404)
  await isTheSame(STYLE_PATH)
  const job = { name: 'job', interval_sec: 60, grace_sec: 5, resend_interval_sec: 0, show_on_status_page: false }
  const { token } = await createHeartbeat(w.deps, org.org_id, job)
  await isTheSame(`/ping/${token}`)
})

test('a HEAD takes from the limit of its address what a GET takes', async () => {
  const limited = await world({ address_limit: { per_sec: 0.001, burst: 4 } })
  try {
    for (const path of ['/monitor-api/v1/ping', `${ACCOUNT}/checks`, '/sign-in', '/status/nobody']) {
      const statuses: number[] = []
      for (let i = 0; i < 6; i++) {
        const method = i % 2 === 0 ? 'HEAD' : 'GET'
        statuses.push((await fetch(`${limited.direct}${path}`, { method, redirect: 'manual' })).status)
      }
      expect({ path, limited: statuses.map((status) => status === 429) }).toEqual({
        path,
        limited: [false, false, false, false, true, true],
      })
    }
  } finally {
    await limited.close()
  }
})
