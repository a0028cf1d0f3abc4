// Every way into the server: which ones there are, and who may use them.
import type { AddressInfo } from 'node:net'
import { healthAnswers } from '@dogwatch/api/health'
import { ArchiveFolder } from '@dogwatch/api/install/archives'
import { createMetricsServer } from '@dogwatch/api/metrics-server'
import { type Access, get, page } from '@dogwatch/console/route'
import { document as config } from '@dogwatch/contract/config'
import { openSession, type Viewer } from '@dogwatch/domain/people/sessions'
import type { Readiness } from '@dogwatch/domain/readiness'
import { Metrics } from '@dogwatch/runtime/metrics'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Router } from 'express'
import { scopesOf } from '../../../api/src/config-api/scopes.ts'
import { implement } from '../../../api/src/implement.ts'
import { mayUse } from '../../../console/src/access.ts'
import { CHECK_ROUTES } from '../../../console/src/pages/checks/routes.ts'
import { ROUTES } from '../../../console/src/routes.ts'
import { createApp } from '../../src/app.ts'
import { OPERATIONS } from '../support/operations.ts'
import { type World, world } from '../support/world.ts'
import { byEntry, CREDENTIALS, MOUNTED, OTHER_ROUTES, PAGES, SCOPES_NEEDED, WITHOUT_EXPRESS } from './who-may.ts'

let w: World
beforeAll(async () => {
  w = await world()
})
afterAll(() => w.close())

const sorted = <Key>(entries: Iterable<readonly [string, Key]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))

describe('who may come in was written down', () => {
  test('for every route of the console', () => {
    const routes = ROUTES.map(({ method, path, access }) => [`${method} ${path}`, access] as const)
    expect(sorted(routes)).toEqual(sorted(byEntry(PAGES)))
  })

  test('for every operation of the monitor API and the account API', () => {
    expect(sorted(OPERATIONS.map(({ id, scheme }) => [id, scheme] as const))).toEqual(sorted(byEntry(CREDENTIALS)))
  })

  test('for every operation of the configuration API', () => {
    expect(sorted(scopesOf(config))).toEqual(sorted(byEntry(SCOPES_NEEDED)))
  })

  test('for everything else that Express serves', () => {
    const found = entrancesOf(() => {
      const install = { folder: new ArchiveFolder('/nowhere'), public_url: 'http://dogwatch.example' }
      const pages = { public_url: 'http://dogwatch.example', sign_up: 'open', default_plan: 'free' } as const
      const limit = { per_sec: 1, burst: 1 }
      return createApp(w.deps, { trust_proxy: [], address_limit: limit, install, console: pages }).router
    })
    const written = [...byEntry(OTHER_ROUTES).keys(), ...byEntry(MOUNTED).keys()]
    expect(found.sort()).toEqual(written.sort())
  })
})

const NO_BODIES = { bodyLimits: {} } as never

describe('what declares nobody is closed', () => {
  test('a page that says nothing does not compile, and lets nobody in', () => {
    // @ts-expect-error: who may open it is missing.
    const silent = get('/silent', async () => page('silent', null as never))
    const org = { role: 'owner', suspended: false }
    const admin = { is_admin: true, impersonator_id: null, org } as unknown as Viewer
    const asked = [undefined, '', 'everybody', 'constructor', silent.access] as unknown as Access[]
    expect(asked.map((access) => mayUse(access, admin))).toEqual(asked.map(() => false))
  })

  test('a page has the access that it declares, and nothing widens it', () => {
    expect(CHECK_ROUTES.filter((route) => !ROUTES.includes(route))).toEqual([])
  })

  test('a document with an operation without a scope, or with one that does not exist, is refused', () => {
    const documentOf = (operation: object) => ({
      paths: { '/racks': { get: { operationId: 'listRacks', ...operation } } },
    })
    expect(() => scopesOf(documentOf({}))).toThrow('listRacks names no x-scope')
    for (const scope of ['crates:read', 'constructor', ''])
      expect(() => scopesOf(documentOf({ 'x-scope': scope }))).toThrow(`listRacks names the unknown x-scope "${scope}"`)
  })

  test.each([
    ['none', []],
    ['an optional one', [{}]],
    ['an unknown one', [{ cookie: [] }]],
    ['one of two', [{ personalAccessToken: [] }, {}]],
  ])('a document with an operation whose credential is %s is refused', (_, security) => {
    const bare = { paths: { '/racks': { get: { operationId: 'listRacks', security, responses: {} } } } }
    const start = () =>
      implement(
        bare,
        { personalAccessToken: () => Promise.resolve() },
        { listRacks: () => undefined } as never,
        NO_BODIES,
      )
    expect(start).toThrow('listRacks must need exactly one credential')
  })
})

describe('without a credential', () => {
  test.each(OTHER_ROUTES['a session'])('%s tells nothing', async (entrance) => {
    const response = await fetch(`${w.direct}${entrance.replace('GET ', '')}?v=1`)
    expect([response.status, await response.text()]).toEqual([204, ''])
  })

  test.each(OTHER_ROUTES['a session'])('%s tells nothing to a member who lacks the second factor', async (entrance) => {
    const org = await w.org()
    const cookie = `dogwatch-session=${await openSession(w.deps, org.owner_id, org.org_id)}`
    const ask = async () => {
      const leaving = new AbortController()
      const url = `${w.direct}${entrance.replace('GET ', '')}?v=1`
      const { status } = await fetch(url, { headers: { cookie }, signal: leaving.signal })
      leaving.abort()
      return status
    }
    expect(await ask()).toBe(200)
    await w.rows('update organisations set requires_second_factor = true where org_id = $1', org.org_id)
    expect(await ask()).toBe(204)
  })

  test('the metrics server answers these paths and no other', async () => {
    const health = healthAnswers({ report: () => Promise.resolve({ isReady: true, line: 'ready' }) } as Readiness)
    const server = createMetricsServer(health, new Metrics())
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const paths = [...byEntry(WITHOUT_EXPRESS).keys()]
    const statuses = await Promise.all([...paths, '/', '/checks'].map(async (path) => (await fetch(url + path)).status))
    server.close()
    expect(statuses).toEqual([...paths.map(() => 200), 404, 404])
  })
})

interface Mount {
  path: string
  handler: unknown
}

/** Lists what the router that `make` returns serves, by recording what is mounted where meanwhile. */
function entrancesOf(make: () => unknown): string[] {
  const prototype = (Router as unknown as { prototype: Record<'use' | 'route', (...args: unknown[]) => unknown> })
    .prototype
  const { use, route } = prototype
  const mounts = new Map<unknown, Mount[]>()
  const note = (router: unknown, mount: Mount) => mounts.set(router, [...(mounts.get(router) ?? []), mount])
  prototype.use = function (...args) {
    const path = typeof args[0] === 'string' ? args[0] : '/'
    for (const handler of args.flat(Infinity)) if (typeof handler === 'function') note(this, { path, handler })
    return use.apply(this, args)
  }
  prototype.route = function (path) {
    const handler = route.call(this, path)
    note(this, { path: String(path), handler })
    return handler
  }
  try {
    const root = make()
    return [...new Set(listed(mounts, root, ''))]
  } finally {
    Object.assign(prototype, { use, route })
  }
}

function listed(mounts: ReadonlyMap<unknown, readonly Mount[]>, router: unknown, prefix: string): string[] {
  return (mounts.get(router) ?? []).flatMap(({ path, handler }) => {
    const at = path === '/' && prefix !== '' ? prefix : `${prefix}${path}`
    if (mounts.has(handler)) return listed(mounts, handler, at)
    const { methods } = handler as { methods?: Record<string, boolean> }
    if (!methods) return [at]
    // The names of assets contain a checksum.
    const named = at.replace(/^\/assets\/.+/, '/assets/:file')
    return Object.keys(methods).map((method) => `${method === '_all' ? 'ALL' : method.toUpperCase()} ${named}`)
  })
}
