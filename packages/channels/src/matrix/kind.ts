// Sends a message to a room of Matrix. A message that is sent twice appears once.
import { joinParts, jsonNumberAt, jsonTextAt } from '../answer-body.ts'
import { defineKind, MEMBERS_TEXT, RECEIVER_URL, SECRET_TEXT } from '../kind.ts'
import { pathOn } from '../own-server.ts'
import { matrixBody } from './message.ts'

/** Error codes of the specification that concern the room, the token or the message permanently. */
const REFUSALS: readonly (string | undefined)[] = [
  'M_FORBIDDEN',
  'M_UNKNOWN_TOKEN',
  'M_MISSING_TOKEN',
  'M_NOT_FOUND',
  'M_TOO_LARGE',
  'M_BAD_JSON',
]

export const matrix = defineKind({
  name: 'matrix',
  label: 'Matrix',
  about: 'Posts messages to a Matrix room. Encrypted rooms are not supported.',
  plan: 'free',
  grouped: 25,
  fields: {
    matrix_room: {
      ...MEMBERS_TEXT,
      label: 'Room',
      hint: 'The internal room ID, starting with “!” (Element: Room settings > Advanced). Invite the alert account to the room.',
      max: 255,
      matches: { pattern: /^![^\s/?#]{1,254}$/, says: 'must be a room ID, such as !AbCdEf:example.org' },
    },
    matrix_url: {
      ...RECEIVER_URL,
      label: 'Homeserver URL',
      hint: 'The homeserver of the alert account, for example https://matrix.example.org.',
    },
    matrix_token: {
      ...SECRET_TEXT,
      label: 'Access token',
      hint: 'The access token of the alert account (Element: Settings > Help & about > Access token).',
      max: 500,
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: ({ destination, message, webhook_id }) => {
      const room = encodeURIComponent(destination.matrix_room)
      const path = `/_matrix/client/v3/rooms/${room}/send/m.room.message/${encodeURIComponent(webhook_id)}`
      return {
        method: 'PUT',
        url: pathOn(destination.matrix_url, path),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${destination.matrix_token}` },
        body: JSON.stringify(matrixBody(message)),
      }
    },
    explain: (body) => joinParts(jsonTextAt(body, 'errcode'), jsonTextAt(body, 'error')),
    judge: ({ status, body }) => {
      if (status >= 200 && status < 300)
        return { is: jsonTextAt(body, 'event_id') === undefined ? 'retry' : 'delivered' }
      const wait_ms = jsonNumberAt(body, 'retry_after_ms')
      if (status === 429) return { is: 'retry', ...(wait_ms !== undefined && { retry_after_sec: wait_ms / 1000 }) }
      return status < 500 && REFUSALS.includes(jsonTextAt(body, 'errcode')) ? { is: 'refused' } : undefined
    },
  },
  example: {
    matrix_room: '!AbCdEfGhIjKlMnOp:example.org',
    matrix_url: 'https://matrix.example.org',
    matrix_token: 'syt_YWxlcnRz_example_example',
  },
})
