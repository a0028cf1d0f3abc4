// Sends a card to a space of Google Chat, through a webhook.
import { joinParts, jsonTextAt } from '../answer-body.ts'
import { defineKind, RECEIVER_URL } from '../kind.ts'
import { googleChatBody } from './message.ts'

export const googleChat = defineKind({
  name: 'google-chat',
  label: 'Google Chat',
  about: 'Posts a card to a Google Chat space through a webhook, with one thread per incident.',
  plan: 'team',
  grouped: 25,
  fields: {
    google_chat_url: {
      ...RECEIVER_URL,
      label: 'Webhook URL',
      hint: 'In Google Chat, go to Apps & integrations > Webhooks and select Add webhook.',
      fault: (value) =>
        /\/v1\/spaces\/[^/?#]+\/messages\?/.test(value)
          ? undefined
          : 'must be a Google Chat webhook URL, such as https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…',
    },
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch) => {
      const url = new URL(dispatch.destination.google_chat_url)
      url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
      return { url: url.href, body: JSON.stringify(googleChatBody(dispatch)) }
    },
    explain: (body) => joinParts(jsonTextAt(body, 'error', 'status'), jsonTextAt(body, 'error', 'message')),
    judge: ({ status, body }) =>
      status === 400 && jsonTextAt(body, 'error', 'status') === 'INVALID_ARGUMENT' ? { is: 'refused' } : undefined,
  },
  example: {
    google_chat_url:
      'https://chat.googleapis.com/v1/spaces/AAAAexample/messages?key=AIzaSyExampleExample&token=aBcDeFgHiJkLmNoPqRsT',
  },
})
