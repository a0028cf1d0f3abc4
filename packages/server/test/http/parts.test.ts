// Which part of the server a request takes a place of, by the tables of the routes alone.
import { randomBytes } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { beforeAll, expect, test } from '@jest/globals'
import { document as account } from '@dogwatch/contract/account'
import { document as monitor } from '@dogwatch/contract/monitor'
import { createApp } from '../../src/app.ts'
import { ROUTES } from '../../src/console/routes.ts'
import type { Deps } from '../../src/domain/deps.ts'
import { RouteParts } from '../../src/http/parts.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { fakeClock } from '../support/fake-clock.ts'

let parts: RouteParts
beforeAll(() => {
  parts = new RouteParts()
  // No request comes, and so no statement either.
  const deps = { database: {}, clock: fakeClock(), random: randomBytes, log: silentLog } as unknown as Deps
  createApp(deps, {
    trust_proxy: [],
    address_limit: undefined,
    parts,
    console: { public_url: 'http://dogwatch.example', sign_up: 'open', default_plan: 'free' },
  })
})

const partOf = (method: string, url: string) =>
  parts.partOf(Object.assign(new IncomingMessage(new Socket()), { method, url }))

const operationsOf = (document: { paths?: unknown }) =>
  Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ operationId, method: method.toUpperCase(), path })),
  )

test('uploads and exports have places of their own, and all else of the APIs has those of its API', () => {
  const of = (prefix: string, document: { paths?: unknown }) =>
    operationsOf(document).map(({ operationId, method, path }) => [operationId, partOf(method, prefix + path)])
  expect(Object.fromEntries(of('/monitor-api/v1', monitor))).toEqual({
    syncChecks: 'monitor-api',
    enroll: 'monitor-api',
    ping: 'monitor-api',
    uploadResults: 'uploads',
    reportStatus: 'monitor-api',
  })
  const ofAccount = Object.fromEntries(of('/account-api/v1', account)) as Record<string, string>
  expect(Object.entries(ofAccount).filter(([, part]) => part !== 'account-api')).toEqual([['exportAccount', 'export']])
})

test('every form of people who are not signed in has the places of strangers, and no other page has', () => {
  const filled = ROUTES.map(({ method, path, access }) => ({
    method,
    access,
    path,
    part: partOf(method, path.replaceAll(/:\w+/g, 'x1')),
  }))
  for (const { method, access, path, part } of filled) {
    expect([method, path, part]).toEqual([
      method,
      path,
      method === 'POST' && access === 'anyone' ? 'sign-in' : 'console',
    ])
  }
})

test.each([
  ['POST', '/monitor-api/v1/results?x=/../ping', 'uploads'],
  ['GET', '/monitor-api/v1/results', 'monitor-api'],
  ['POST', '/monitor-api/v1/results/', 'monitor-api'],
  ['POST', '/monitor-api/v1/%72esults', 'monitor-api'],
  ['HEAD', '/account-api/v1/export?x', 'export'],
  ['GET', '/monitor-api/v1/ping?wait_sec=9', 'monitor-api'],
  ['POST', '/sign-in?x=1', 'sign-in'],
  ['POST', '/sign-in/', 'console'],
  ['POST', '/confirm-address/%41bc', 'sign-in'],
  ['POST', '/invitations/%', 'console'],
  ['POST', '/nowhere', 'console'],
  ['GET', '/status/acme', 'status-page'],
  ['GET', '/assets/x.css', undefined],
])('%s %s takes a place of %s', (method, url, part) => {
  expect(partOf(method, url)).toBe(part)
})
