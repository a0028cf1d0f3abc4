// Sends a request to any URL with the method, headers and body that users choose. A template makes the body.
import type { Destination, Fact } from '../channel.ts'
import { CHOICE, defineKind, type FieldFault, type HttpRequest, RECEIVER_URL } from '../kind.ts'
import { RenderThread } from './apart.ts'
import { headersFault, headersIn } from './headers.ts'
import { MAX_TEMPLATE, type TemplateInput } from './render.ts'
import { SAMPLES } from './samples.ts'

type Name = 'template_url' | 'template_method' | 'template_headers' | 'template_body'

const METHODS = ['POST', 'PUT', 'PATCH'] as const
const PREVIEWED = 3

/** Defines the kind. Its templates are rendered in `thread`. */
export function templateKind(thread: RenderThread) {
  return defineKind<Name>({
    name: 'webhook-template',
    label: 'Custom webhook',
    about: 'Sends an HTTP request with your own headers and body template.',
    plan: 'double',
    fields: {
      template_url: {
        ...RECEIVER_URL,
        label: 'URL',
        hint: 'Must respond with a 2xx status within 15 seconds. Redirects are not followed.',
      },
      template_method: {
        ...CHOICE,
        label: 'Method',
        hint: 'POST works for most servers.',
        options: METHODS,
      },
      template_headers: {
        label: 'Headers',
        hint: 'One per line, for example Authorization: Bearer abc. Content-Type defaults to application/json.',
        input: 'lines',
        shown: 'never',
        isSecret: true,
        isOptional: true,
        fault: headersFault,
      },
      template_body: {
        label: 'Body',
        hint: 'A Liquid template, for example {"text": {{ message.title | json }}}. Available variables: id, type, timestamp, data and message (title, text, lines, facts, link, acknowledge, severity).',
        input: 'lines',
        shown: 'never',
        isSecret: true,
        max: MAX_TEMPLATE,
      },
    },
    fault: (destination, org_id) => faultOf(thread, destination, org_id),
    facts: ({ template_method }) => [{ label: 'Method', value: template_method || METHODS[0] }],
    preview: async (destination, org_id) => {
      const fault = await faultOf(thread, destination, org_id)
      if (fault !== undefined) return { fault }
      return Promise.all(SAMPLES.slice(0, PREVIEWED).map((told) => shown(thread, destination, { ...told, org_id })))
    },
    sending: {
      by: 'http',
      server: 'receiver',
      request: (dispatch) => requestFor(thread, dispatch.destination, dispatch),
      // The status 410 means that the receiver wants no further messages, as for a webhook.
      gone: 410,
    },
    example: {
      template_url: 'https://tickets.example.com/api/issues',
      template_method: 'PUT',
      template_headers: 'Authorization: Token example-token-0123\nX-Source: dogwatch',
      template_body:
        '{"id": {{ id | json }}, "subject": {{ message.title | json }}, "text": {{ message.text | json }}{% if data.check %}, "check": {{ data.check.name | json }}{% endif %}}',
    },
  })
}

export const webhookTemplate = templateKind(new RenderThread())

/** Input of a template, and the organisation that owns the rendering. */
type Own = TemplateInput & { org_id?: number | undefined }

/** Owner of all renderings that belong to no organisation. Together they get as much time as one organisation. */
const NOBODY = 0

async function requestFor(
  thread: RenderThread,
  { template_url, template_method, template_headers, template_body }: Destination<Name>,
  { org_id = NOBODY, ...told }: Own,
): Promise<HttpRequest | { fault: string; is_ours?: true }> {
  const body = await thread.render(org_id, template_body, told)
  if ('fault' in body) return { ...body, fault: `the template ${body.fault}` }
  const method = METHODS.find((known) => known === template_method) ?? METHODS[0]
  const headers = { 'content-type': 'application/json', ...headersIn(template_headers) }
  return { method, url: template_url, headers, body: body.text }
}

/** Tries a template with an event of each type, so that a mistake shows when it is saved and not at night. */
async function faultOf(
  thread: RenderThread,
  { template_body, template_headers }: Destination<Name>,
  org_id = NOBODY,
): Promise<FieldFault | undefined> {
  const headers = headersFault(template_headers)
  if (headers !== undefined) return { field: 'template_headers', must: headers }
  const { 'content-type': type = 'application/json' } = headersIn(template_headers)
  const fault = await thread.faultOf(org_id, template_body, /\bjson\b/i.test(type))
  return fault === undefined ? undefined : { field: 'template_body', must: fault }
}

async function shown(thread: RenderThread, destination: Destination<Name>, told: Own): Promise<Fact> {
  const request = await requestFor(thread, destination, told)
  if ('fault' in request) return { label: told.type, value: request.fault }
  const { method, url, headers = {}, body } = request
  const names = Object.keys(headers).map((name) => `${name}: ${name === 'content-type' ? headers[name] : '***'}`)
  return {
    label: told.type,
    value: [`${method} ${URL.canParse(url) ? new URL(url).host : ''}`, ...names, '', body].join('\n'),
  }
}
