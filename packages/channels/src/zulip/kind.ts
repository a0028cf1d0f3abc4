// Sends a message of a bot to a channel of Zulip.
import { joinParts, jsonNumberAt, jsonTextAt } from '../answer-body.ts'
import { defineKind, MEMBERS_TEXT, RECEIVER_URL, SECRET_TEXT } from '../kind.ts'
import { basic, pathOn } from '../own-server.ts'
import { zulipForm } from './message.ts'

export const zulip = defineKind({
  name: 'zulip',
  label: 'Zulip',
  about: 'Posts bot messages to a Zulip channel, with one topic per check.',
  plan: 'free',
  grouped: 25,
  fields: {
    zulip_channel: {
      ...MEMBERS_TEXT,
      label: 'Channel',
      hint: 'A channel the bot can post to.',
      max: 60,
    },
    zulip_url: {
      ...RECEIVER_URL,
      label: 'Server URL',
      hint: 'Your Zulip organisation’s address, for example https://example.zulipchat.com.',
    },
    zulip_email: {
      label: 'Bot email',
      hint: 'In Zulip, go to Personal settings > Bots > Add a new bot to get the bot’s email and API key.',
      input: 'email',
      shown: 'to members',
      isSecret: false,
    },
    zulip_key: { ...SECRET_TEXT, label: 'API key', hint: 'The bot’s API key.' },
    zulip_topic: {
      ...MEMBERS_TEXT,
      label: 'Topic',
      hint: 'Leave empty to use a separate topic for each check and heartbeat.',
      isOptional: true,
      max: 60,
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch) => {
      const { zulip_url, zulip_email, zulip_key } = dispatch.destination
      return {
        url: pathOn(zulip_url, '/api/v1/messages'),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: basic(zulip_email, zulip_key),
        },
        body: zulipForm(dispatch).toString(),
      }
    },
    explain: (body) => joinParts(jsonTextAt(body, 'code'), jsonTextAt(body, 'msg')),
    judge: ({ status, body }) => {
      const result = jsonTextAt(body, 'result')
      if (status >= 200 && status < 300) return { is: result === 'success' ? 'delivered' : 'retry' }
      const retry_after_sec = jsonNumberAt(body, 'retry-after')
      if (status === 429) return { is: 'retry', ...(retry_after_sec !== undefined && { retry_after_sec }) }
      return status < 500 && result === 'error' ? { is: 'refused' } : undefined
    },
  },
  example: {
    zulip_channel: 'on call',
    zulip_url: 'https://example.zulipchat.com',
    zulip_email: 'dogwatch-bot@example.zulipchat.com',
    zulip_key: 'a0b1c2d3e4f5g6h7i8j9k0l1m2n3o4p5',
    zulip_topic: '',
  },
})
