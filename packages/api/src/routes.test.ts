// Which operation a request is for, from the document alone.

import { document as account } from '@dogwatch/contract/account'
import { document as monitor } from '@dogwatch/contract/monitor'
import { describe, expect, test } from '@jest/globals'
import type { Request } from 'express'
import { HttpError } from './errors.ts'
import { findRoute, listRoutes } from './routes.ts'

const accountRoutes = listRoutes(account)
const monitorRoutes = listRoutes(monitor)

const ask = (method: string, path: string, routes = accountRoutes) => {
  try {
    const request: Pick<Request, 'method' | 'path' | 'url' | 'originalUrl'> = {
      method,
      path,
      url: path,
      originalUrl: path,
    }
    const { route, path: parameters } = findRoute(routes, request as Request)
    return { operation: route.operationId, ...parameters }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return { status: error.status, line: error.message, ...error.headers }
  }
}

test('every operation of the documents is a route, found by its own path', () => {
  for (const [document, routes] of [
    [monitor, monitorRoutes],
    [account, accountRoutes],
  ] as const) {
    const paths = document.paths as Record<string, Record<string, { operationId: string }>>
    const found = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => ask(method.toUpperCase(), path, routes)),
    )
    const named = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId))
    expect(found).toMatchObject(named.map((operation) => ({ operation })))
    expect(routes).toHaveLength(named.length)
  }
})

test('each route knows which credential it wants and whether it takes a body', () => {
  const told = monitorRoutes.map(({ method, scheme, hasBody, operationId }) => ({
    operationId,
    method,
    scheme,
    hasBody,
  }))
  const byMethod = Object.fromEntries(told.map((route) => [route.operationId, route]))
  expect(told.filter(({ scheme }) => scheme === '')).toEqual([])
  expect(told.filter(({ method, hasBody }) => (method === 'POST') !== hasBody)).toEqual([])
  const enroll = monitorRoutes.find(({ pattern }) => pattern.test('/enroll'))
  const others = monitorRoutes.filter((route) => route !== enroll)
  expect(new Set(others.map(({ scheme }) => scheme)).size).toBe(1)
  expect(others.map(({ scheme }) => scheme)).not.toContain(enroll?.scheme)
  expect(Object.keys(byMethod)).toHaveLength(told.length)
})

describe('paths of the account API', () => {
  const MISSING = { status: 404, line: 'no such path' }
  const list = ask('GET', '/checks')
  const one = (guid: string) => ({ ...ask('GET', '/checks/x'), guid })
  const cases: Record<string, [path: string, want: unknown]> = {
    'a guid': ['/checks/0f0e9d1c-3d5a-4d4e-9f0a-1b2c3d4e5f60', one('0f0e9d1c-3d5a-4d4e-9f0a-1b2c3d4e5f60')],
    'anything else in its place': ['/checks/%20a%20', one(' a ')],
    'a slash that was encoded': ['/checks/a%2Fb', one('a/b')],
    'what is no percent-encoding': ['/checks/%E0%A4', one('%E0%A4')],
    'U+0000': ['/checks/%00', one('\0')],
    'a name that every object has': ['/checks/__proto__', one('__proto__')],
    'no guid': ['/checks/', MISSING],
    'a slash behind': ['/checks/x/', MISSING],
    'too deep': ['/checks/x/y', MISSING],
    'upper case': ['/CHECKS', MISSING],
    'in front of it': ['/v1/checks', MISSING],
    'a dot is a dot': ['/export.json', MISSING],
    nothing: ['', MISSING],
    'the root': ['/', MISSING],
  }
  test.each(Object.entries(cases))('%s', (_, [path, want]) => expect(ask('GET', path)).toEqual(want))

  test('the list and the single check are two operations', () => {
    expect(list).not.toEqual(ask('GET', '/checks/x'))
    expect(ask('GET', '/checks/x/results')).toMatchObject({ guid: 'x' })
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'get'])('%s is not allowed, and GET is named', (method) => {
    expect(ask(method, '/checks')).toEqual({ status: 405, line: 'method not allowed', Allow: 'GET, HEAD' })
  })
})

test('a HEAD is for what a GET is for', () => {
  expect(ask('HEAD', '/checks/x')).toEqual({ operation: 'getCheck', guid: 'x' })
  expect(ask('HEAD', '/results', monitorRoutes)).toEqual({ status: 405, line: 'method not allowed', Allow: 'POST' })
})

test('a path with several methods names them all', () => {
  const routes = listRoutes({
    paths: { '/things/{a}/{b}': { get: { operationId: 'one' }, delete: { operationId: 'two' } } },
  })
  expect(ask('PUT', '/things/1/2', routes)).toMatchObject({ status: 405, Allow: 'GET, HEAD, DELETE' })
  expect(ask('DELETE', '/things/1/2', routes)).toEqual({ operation: 'two', a: '1', b: '2' })
})

test('an operation may name a credential of its own, and else has that of the document', () => {
  const routes = listRoutes({
    security: [{ usual: [] }],
    paths: { '/a': { get: { operationId: 'a' } }, '/b': { get: { operationId: 'b', security: [{ own: [] }] } } },
  })
  expect(routes.map(({ scheme }) => scheme)).toEqual(['usual', 'own'])
})
