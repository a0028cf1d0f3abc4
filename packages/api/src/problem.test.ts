// Refusals for those who ask for problem+json, and for everybody else.
import { expect, test } from '@jest/globals'
import { refusalFor } from './problem.ts'

const URL = '/config-api/v1/checks'
const asked = (accept: string | undefined, url = URL) =>
  refusalFor({ headers: { ...(accept !== undefined && { accept }) } }, url, { status: 404, line: 'no such path' })

test.each([
  'application/problem+json',
  'application/json, application/problem+json',
  'Application/Problem+JSON;q=0.5',
  'text/plain;q=0.4, application/problem+json; q=0.5',
])('%s asks for a problem', (accept) => {
  const { type, text } = asked(accept)
  expect([type, JSON.parse(text)]).toEqual([
    'application/problem+json',
    { type: 'about:blank', title: 'Not Found', status: 404, detail: 'no such path' },
  ])
})

test.each([
  undefined,
  '',
  '*/*',
  'application/*',
  'application/json',
  'application/problem+json;q=0',
  'application/problem+json;q=x',
  'text/plain, application/problem+json;q=0.9',
  'application/problem+jsonp',
])('%s asks for none', (accept) => {
  expect(asked(accept)).toEqual({ type: 'text/plain; charset=utf-8', text: 'no such path' })
})

test('the other surfaces have lines alone', () => {
  for (const url of ['/account-api/v1/checks', '/monitor-api/v1/checks', '/ping/x', '/config-api', '/']) {
    expect(asked('application/problem+json', url).text).toBe('no such path')
  }
})

const errorsOf = (refused: Parameters<typeof refusalFor>[2]) =>
  (
    JSON.parse(refusalFor({ headers: { accept: 'application/problem+json' } }, URL, refused).text) as {
      errors?: object[]
    }
  ).errors

test('fields are named by pointers into the body, and parameters by their names', () => {
  const at = (field: string, must: string) => ({ status: 400, line: `${field} ${must}`, faults: [{ field, must }] })
  expect(errorsOf({ ...at('steps[0].channels[1]', 'must name an existing channel'), body: {} })).toEqual([
    { pointer: '#/steps/0/channels/1', detail: 'steps[0].channels[1] must name an existing channel' },
  ])
  expect(errorsOf(at('limit', 'must be at most 500'))).toEqual([
    { parameter: 'limit', detail: 'limit must be at most 500' },
  ])
  const faults = [
    { field: 'headers["X-a/b~c"]', must: 'must be short' },
    { field: 'url', must: 'is required' },
    { field: 'headers["\uD800"]', must: 'must be storable' },
  ]
  expect(errorsOf({ status: 400, line: 'x', faults, body: {} })).toEqual([
    { pointer: '#/headers/X-a~1b~0c', detail: 'headers["X-a/b~c"] must be short' },
    { pointer: '#/url', detail: 'url is required' },
    { pointer: '#/headers/%EF%BF%BD', detail: 'headers["\uD800"] must be storable' },
  ])
})

test('a line without a field is told without one, whatever word it begins with', () => {
  expect(errorsOf({ status: 409, line: 'key is already used', body: {} })).toBeUndefined()
})
