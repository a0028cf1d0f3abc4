// Which lane a request has, by the tables of the routes alone, and what a lane shares with another.
import { randomBytes } from 'node:crypto'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Admission } from '@dogwatch/api/admission'
import { homeOf, lanesFor } from '@dogwatch/api/lanes'
import { document as account } from '@dogwatch/contract/account'
import { document as monitor } from '@dogwatch/contract/monitor'
import type { Deps } from '@dogwatch/domain/deps'
import { silentLog } from '@dogwatch/runtime/log'
import { Metrics } from '@dogwatch/runtime/metrics'
import { beforeAll, expect, test } from '@jest/globals'
import { ROUTES } from '../../../console/src/routes.ts'
import { fakeClock } from '../../../runtime/test/support/fake-clock.ts'
import { createApp } from '../../src/app.ts'

let admission: Admission
beforeAll(() => {
  // No request comes, and so no statement either.
  const deps = { database: {}, clock: fakeClock(), random: randomBytes, log: silentLog } as unknown as Deps
  admission = new Admission(deps, { metrics: new Metrics() })
  createApp(deps, {
    trust_proxy: [],
    address_limit: undefined,
    admission,
    console: { public_url: 'http://dogwatch.example', sign_up: 'open', default_plan: 'free' },
  })
})

const laneOf = (method: string, url: string) =>
  admission.routes.laneOf(Object.assign(new IncomingMessage(new Socket()), { method, url }))

const operationsOf = (document: { paths?: unknown }) =>
  Object.entries(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId }]) => ({ operationId, method: method.toUpperCase(), path })),
  )

test('uploads, syncs and exports have lanes of their own, and all else of the APIs has that of its API', () => {
  const of = (prefix: string, document: { paths?: unknown }) =>
    operationsOf(document).map(({ operationId, method, path }) => [operationId, laneOf(method, prefix + path)])
  expect(Object.fromEntries(of('/monitor-api/v1', monitor))).toEqual({
    syncChecks: 'sync',
    enroll: 'monitor-api',
    ping: 'monitor-api',
    uploadResults: 'uploads',
    reportStatus: 'monitor-api',
  })
  const ofAccount = Object.fromEntries(of('/account-api/v1', account)) as Record<string, string>
  expect(Object.entries(ofAccount).filter(([, lane]) => lane !== 'account-api')).toEqual([['exportAccount', 'export']])
})

test('every form of people who are not signed in has the lane of strangers, and no other page has', () => {
  const filled = ROUTES.map(({ method, path, access }) => ({
    method,
    access,
    path,
    lane: laneOf(method, path.replaceAll(/:\w+/g, 'x1')),
  }))
  for (const { method, access, path, lane } of filled) {
    expect([method, path, lane]).toEqual([
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
])('%s %s has the lane %s', (method, url, lane) => {
  expect(laneOf(method, url)).toBe(lane)
})

test('changes of a configuration wait in one line with what reads it, and syncs use the slots of their API', () => {
  const lanes = lanesFor(8)
  expect([homeOf(lanes, 'config-change'), homeOf(lanes, 'sync'), homeOf(lanes, 'export')]).toEqual([
    'config-api',
    'monitor-api',
    'export',
  ])
  expect(laneOf('POST', '/config-api/v1/checks')).toBe('config-change')
  expect(laneOf('GET', '/config-api/v1/checks')).toBe('config-api')
})
