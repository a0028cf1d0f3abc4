// The mistakes that the typed layer turns into compile errors. Nothing here runs: `tsc` is the test, and a mistake that
// compiles makes its `@ts-expect-error` the error.
import type { operations as accountOperations, security as accountSecurity } from '@dogwatch/contract/account'
import type { components, operations, security } from '@dogwatch/contract/monitor'
import { type Answer, type Handlers, implement, type JsonStream } from '../../src/implement.ts'

interface Monitor {
  operations: operations
  security: security
}
interface Account {
  operations: accountOperations
  security: accountSecurity
}
type Callers = { monitorKey: { id: string }; enrollmentToken: { org_id: number | null } }
type MonitorHandlers = Handlers<Monitor, Callers>
type AccountHandlers = Handlers<Account, { personalAccessToken: { org_id: number } }>

declare const server_time: string
declare const check: components['schemas']['Check']

/** All that is right, to take single handlers from. */
export const right: MonitorHandlers = {
  ping: async ({ reply }) => reply(200, { status: 'ok' }),
  enroll: async ({ body, caller, reply }) =>
    body.id && caller.org_id ? reply(409, 'enrolled') : reply(200, { api_key: '', monitor_id: '' }),
  syncChecks: async ({ query, reply }) => reply(200, { checks: [check], server_time: query.since ?? '' }),
  uploadResults: async ({ body, reply }) => reply(200, { accepted: body.results.length }),
  reportStatus: async ({ caller, reply }) => reply(200, { status: caller.id }),
}
const limits = { bytes: 1, status: 400 } as const
const bodyLimits = { enroll: limits, uploadResults: limits, reportStatus: limits }
const scheme = { monitorKey: async () => ({ id: '' }), enrollmentToken: async () => ({ org_id: 1 }) }
implement<Monitor, Callers>({}, scheme, right, { bodyLimits })

const { ping: _left, ...withoutPing } = right
// @ts-expect-error an operation without a handler
export const missing: MonitorHandlers = withoutPing
// @ts-expect-error a handler for no operation
export const extra: MonitorHandlers = { ...right, pong: right.ping }
// @ts-expect-error a security scheme that nobody authenticates
implement<Monitor, Callers>({}, { monitorKey: scheme.monitorKey }, right, { bodyLimits })
// @ts-expect-error a scheme that lets in the wrong kind of caller
implement<Monitor, Callers>({}, { ...scheme, monitorKey: async () => ({ org_id: 1 }) }, right, { bodyLimits })
// @ts-expect-error a body without a limit
implement<Monitor, Callers>({}, scheme, right, { bodyLimits: { enroll: limits, uploadResults: limits } })

export const mistakes: Partial<MonitorHandlers>[] = [
  // @ts-expect-error a status that the document does not declare
  { ping: async ({ reply }) => reply(204, undefined) },
  // @ts-expect-error a status of another operation
  { ping: async ({ reply }) => reply(409, 'enrolled') },
  // @ts-expect-error a field of the wrong type
  { uploadResults: async ({ reply }) => reply(200, { accepted: '1' }) },
  // @ts-expect-error a field missing
  { enroll: async ({ reply }) => reply(200, { api_key: '' }) },
  // @ts-expect-error a field too many
  { uploadResults: async ({ reply }) => reply(200, { accepted: 1, stored: 1 }) },
  {
    // @ts-expect-error a field too many, deep inside an array
    syncChecks: async ({ reply }) => reply(200, { checks: [{ ...check, check_id: 7 }], server_time }),
  },
  // @ts-expect-error a body missing
  { ping: async ({ reply }) => reply(200) },
  // @ts-expect-error JSON where the document says text
  { enroll: async ({ reply }) => reply(404, { error: 'no' }) },
  // @ts-expect-error text where the document says JSON
  { ping: async ({ reply }) => reply(200, 'ok') },
  // @ts-expect-error a required header missing
  { ping: async ({ reply }) => reply(429, 'rate limit exceeded') },
  // @ts-expect-error a required header of the wrong type
  { ping: async ({ reply }) => reply(429, 'rate limit exceeded', { 'Retry-After': 'soon' }) },
  // @ts-expect-error a header that the document does not declare
  { ping: async ({ reply }) => reply(200, { status: 'ok' }, { 'X-Mood': 'good' }) },
  // @ts-expect-error a query parameter that there is none of
  { syncChecks: async ({ query, reply }) => reply(200, { checks: [], server_time: query.until }) },
  // @ts-expect-error an optional query parameter used as if it were there
  { syncChecks: async ({ query, reply }) => reply(200, { checks: [], server_time: query.since }) },
  // @ts-expect-error a body field that there is none of
  { reportStatus: async ({ body, reply }) => reply(200, { status: body.mood }) },
  // @ts-expect-error a body on an operation that takes none
  { ping: async ({ body, reply }) => reply(200, { status: body.status }) },
  // @ts-expect-error the caller of another credential
  { ping: async ({ caller, reply }) => reply(200, { status: String(caller.org_id) }) },
  // @ts-expect-error nothing answered
  { ping: async () => undefined },
  // @ts-expect-error an answer that reply did not make
  { ping: async () => ({ status: 200, body: { status: 'ok' }, headers: {} }) },
  // @ts-expect-error the answer of another operation
  { ping: async () => ({}) as Answer<operations['enroll']> },
]

declare const exported: JsonStream<components['schemas']['ChecksResponse']>
declare const document: JsonStream<accountOperations['exportAccount']['responses'][200]['content']['application/json']>
export const streams: Partial<AccountHandlers>[] = [
  { exportAccount: async ({ reply }) => reply(200, document, { 'Content-Disposition': 'attachment' }) },
  // @ts-expect-error the stream of another schema
  { exportAccount: async ({ reply }) => reply(200, exported, { 'Content-Disposition': 'attachment' }) },
  // @ts-expect-error a required header missing on a success
  { exportAccount: async ({ reply }) => reply(200, document) },
  // @ts-expect-error a path parameter that there is none of
  { getCheck: async ({ path, reply }) => reply(404, path.id) },
]
