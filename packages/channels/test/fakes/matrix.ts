// Matrix's client-server API, as spec.matrix.org documents it: PUT /rooms/{roomId}/send/{eventType}/{txnId}, standard errors, rate limits,
// the size of events, and m.room.message.
import { z } from 'zod'
import { jsonOf, read, type Vendor } from './vendor.ts'

const TOKEN = 'syt_YWxlcnRz_aBcDeFgHiJkLmNoPqRsT_0a1b2c'
const ROOM = '!AbCdEfGhIjKlMnOp:example.org'
const MESSAGE = z.object({
  msgtype: z.literal('m.text'),
  body: z.string(),
  format: z.literal('org.matrix.custom.html').optional(),
  formatted_body: z.string().optional(),
  'm.mentions': z.object({ room: z.boolean().optional(), user_ids: z.array(z.string()).optional() }).optional(),
})

/** The events of the room, by transaction: the same one sent again is the same event. */
export const events = new Map<string, string>()

const refuse = (status: number, errcode: string, error: string) => ({ status, body: { errcode, error } })

export const matrix: Vendor = {
  kind: 'matrix',
  destination: (at) => ({ matrix_room: ROOM, matrix_url: `${at}/`, matrix_token: TOKEN }),
  answer: (asked) => {
    const [, room, transaction] =
      /^\/_matrix\/client\/v3\/rooms\/([^/]+)\/send\/m\.room\.message\/([^/]+)$/.exec(asked.path) ?? []
    if (room === undefined || transaction === undefined) return refuse(404, 'M_UNRECOGNIZED', 'Unrecognized request')
    if (asked.method !== 'PUT') return refuse(405, 'M_UNRECOGNIZED', 'Unrecognized request')
    if (asked.headers.authorization === undefined) return refuse(401, 'M_MISSING_TOKEN', 'Missing access token')
    if (asked.headers.authorization !== `Bearer ${TOKEN}`)
      return refuse(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token.')
    if (decodeURIComponent(room) !== ROOM) return refuse(403, 'M_FORBIDDEN', 'You are not a member of the room.')
    if (Buffer.byteLength(asked.body) > 65_000) return refuse(413, 'M_TOO_LARGE', 'event too large')
    const message = read(MESSAGE, asked)
    if ('fault' in message) return refuse(400, 'M_BAD_JSON', message.fault)
    const event_id = events.get(transaction) ?? `$event${events.size}`
    events.set(transaction, event_id)
    return { status: 200, body: { event_id } }
  },
  limited: {
    reply: { status: 429, body: { errcode: 'M_LIMIT_EXCEEDED', error: 'Too many requests', retry_after_ms: 2000 } },
    wait_sec: 2,
  },
  lie: { status: 200, body: { errcode: 'M_UNKNOWN', error: 'not now' } },
  refusals: {
    'a wrong token': { with: { matrix_token: 'wrong-token' }, is: 'refused', status: 401, says: 'M_UNKNOWN_TOKEN' },
    'a room without us': {
      with: { matrix_room: '!other:example.org' },
      is: 'refused',
      status: 403,
      says: 'M_FORBIDDEN',
    },
  },
  overlong: (body) => JSON.stringify({ ...jsonOf(body), more: 'x'.repeat(65_000) }),
  words: ({ body }) => String(jsonOf(body).body),
}
