// Trials of the parsers that read what people write about channels, and what receivers of messages respond.
import { secretsIn } from '@dogwatch/channels/destination'
import { channelKinds } from '@dogwatch/channels/registry'
import { secretsOf, withoutSecrets } from '@dogwatch/channels/secrets'
import { oneLine } from '@dogwatch/channels/wording'
import { Reach } from '../../../../alerting/src/reach.ts'
import { answerOutcome } from '../../../../channels/src/answer.ts'
import { faultWords } from '../../../../channels/src/fault.ts'
import { secretFault, sign } from '../../../../channels/src/webhook/signature.ts'
import { headersFault } from '../../../../channels/src/webhook-template/headers.ts'
import { render } from '../../../../channels/src/webhook-template/render.ts'
import { destinationOf } from '../../../../console/src/pages/channels/parts.tsx'
import { refused, type Trial } from './trial.ts'

const PUT_BACK = { kind: 'retry', status: 503 } as const
const CONFIRMATION = { confirmed_at: null, confirm_by: null, asked_at: null }
const CHANNEL = { id: 1, name: 'x', kind: 'webhook', enabled: true, email: '', ...CONFIRMATION }
const VIEWER = { impersonator_id: null } as never
const SETTINGS = { egress_allow: [], smtp_url: undefined, mail_from: undefined, ntfy_url: 'http://127.0.0.1' }
const TOLD = {
  webhook_id: 'msg_1_1',
  sent_at: new Date(0),
  type: 'check.down',
  timestamp: '2026-11-20T12:00:00.000000Z',
  data: { check: { name: 'x' } },
  message: { severity: 'down', title: 'x', lines: ['x'], facts: [], link: 'https://x.example/' },
} as const
const TEMPLATE = channelKinds().find(({ name }) => name === 'webhook-template')?.example
const HTTP_KINDS = channelKinds().flatMap(({ sending }) => (sending.by === 'http' ? [{ sending }] : []))

/** Trials by the names under which the list of parsers has them. */
export const OF_CHANNELS: Readonly<Record<string, Trial>> = {
  // A longer one than 2048 characters is refused.
  'url of a channel': (text) => {
    const url = `https://${text.slice(0, 1000)}@x.example/${text.slice(0, 1000)}`
    const reason = `${text} ${url}`
    return [
      destinationOf({ ...CHANNEL, destination: { webhook_url: url } }, VIEWER),
      withoutSecrets({ ...PUT_BACK, reason }, secretsOf(url)),
      new Reach().failed(text, 0),
    ]
  },
  'secret of a channel': (text) => [
    sign(text, 'id', 1, '{}'),
    sign(`whsec_${text}`, 'id', 1, '{}'),
    secretFault(`whsec_${text}`),
  ],
  'answer to a message': (text) =>
    [text, `Mon, ${text}`].map((retry_after) =>
      answerOutcome({ kind: 'answered', status: 503, retry_after, body: text }, new Date(0), {
        explain: () => text,
      }),
    ),
  // A channel reads the first 4096 bytes of a response.
  'answer of a vendor': (text) =>
    HTTP_KINDS.map(({ sending }) =>
      [200, 429].map((status) =>
        answerOutcome(
          { kind: 'answered', status, retry_after: undefined, body: text.slice(0, 4096) },
          new Date(0),
          sending,
        ),
      ),
    ),
  'message of a channel': (whole) => {
    // Each kind says it four times over.
    const text = whole.slice(0, whole.length / 4)
    const long = {
      ...TOLD,
      message: { ...TOLD.message, title: text, lines: [text], facts: [{ label: text, value: text }] },
    }
    // Templates are rendered in another thread; the trial of templates does it here.
    const kinds = channelKinds().filter(({ name }) => name !== 'webhook-template')
    return kinds.map(({ sending, example: destination }) => {
      if (sending.by === 'http') return sending.request({ ...long, destination }, SETTINGS)
      return sending.render?.({ ...long, destination })
    })
  },
  'destination of a channel': (text) => [
    channelKinds().flatMap(({ fields }) =>
      Object.values(fields).map((field) => refused(() => [field.fault?.(text), field.matches?.pattern.test(text)])),
    ),
    secretsIn({ kind: 'webhook-template', destination: { ...TEMPLATE, template_headers: text, template_body: text } }),
  ],
  'template of a channel': (text) => [headersFault(text), render(text.slice(0, 10_000), TOLD, { isStrict: true })],
  'error of a message': (text) => [
    faultWords(new Error(text)),
    faultWords(new Error(`connect E${text}`)),
    oneLine(text, 500),
  ],
}
