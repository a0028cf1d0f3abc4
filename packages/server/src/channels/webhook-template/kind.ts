// A request to any url, whose method, headers and body people choose: the body by a template.
import type { Destination, Fact } from '../channel.ts'
import { defineKind, type HttpRequest } from '../kind.ts'
import { faultApart, renderApart } from './apart.ts'
import { headersFault, headersIn } from './headers.ts'
import { MAX_TEMPLATE, type Told } from './render.ts'
import { SAMPLES } from './samples.ts'

type Name = 'template_url' | 'template_method' | 'template_headers' | 'template_body'

const METHODS = ['POST', 'PUT', 'PATCH'] as const
const PREVIEWED = 3

export const webhookTemplate = defineKind<Name>({
  name: 'webhook-template',
  label: 'Webhook with a template',
  about: 'An HTTP request to any server, with headers and a body of your own making.',
  plan: 'double',
  fields: {
    template_url: {
      label: 'URL',
      hint: 'It answers with a status from 200 to 299 within 15 seconds; redirects are not followed.',
      input: 'url',
      shown: 'host',
      isSecret: false,
    },
    template_method: {
      label: 'Method',
      hint: 'POST, unless the server wants another.',
      input: 'text',
      shown: 'whole',
      isSecret: false,
      isOptional: true,
      options: METHODS,
    },
    template_headers: {
      label: 'Headers',
      hint: 'One a line, such as Authorization: Bearer abc. Content-Type is application/json unless you name another.',
      input: 'lines',
      shown: 'never',
      isSecret: true,
      isOptional: true,
      fault: headersFault,
    },
    template_body: {
      label: 'Body',
      hint: 'A Liquid template, such as {"text": {{ message.title | json }}}. It may name id, type, timestamp, data and message (title, text, lines, facts, link, acknowledge, severity).',
      input: 'lines',
      shown: 'never',
      isSecret: true,
      max: MAX_TEMPLATE,
    },
  },
  fault: faultOf,
  facts: ({ template_method }) => [{ label: 'Method', value: template_method || METHODS[0] }],
  preview: async (destination) => {
    const fault = await faultOf(destination)
    if (fault !== undefined) return { fault }
    return Promise.all(SAMPLES.slice(0, PREVIEWED).map((told) => shown(destination, told)))
  },
  sending: {
    by: 'http',
    server: 'receiver',
    request: (dispatch) => requestFor(dispatch.destination, dispatch),
    // As with a webhook: the receiver wants no more messages.
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

async function requestFor(
  { template_url, template_method, template_headers, template_body }: Destination<Name>,
  told: Told,
): Promise<HttpRequest | { fault: string; is_ours?: true }> {
  const body = await renderApart(template_body, told)
  if ('fault' in body) return { ...body, fault: `the template ${body.fault}` }
  const method = METHODS.find((known) => known === template_method) ?? METHODS[0]
  const headers = { 'content-type': 'application/json', ...headersIn(template_headers) }
  return { method, url: template_url, headers, body: body.text }
}

/** Tried with an event of each type, so that a mistake shows now and not at night. */
async function faultOf({ template_body, template_headers }: Destination<Name>): Promise<string | undefined> {
  const headers = headersFault(template_headers)
  if (headers !== undefined) return `template_headers ${headers}`
  const { 'content-type': type = 'application/json' } = headersIn(template_headers)
  const fault = await faultApart(template_body, /\bjson\b/i.test(type))
  return fault === undefined ? undefined : `template_body ${fault}`
}

async function shown(destination: Destination<Name>, told: Told): Promise<Fact> {
  const request = await requestFor(destination, told)
  if ('fault' in request) return { label: told.type, value: request.fault }
  const { method, url, headers = {}, body } = request
  const names = Object.keys(headers).map((name) => `${name}: ${name === 'content-type' ? headers[name] : '***'}`)
  return {
    label: told.type,
    value: [`${method} ${URL.canParse(url) ? new URL(url).host : ''}`, ...names, '', body].join('\n'),
  }
}
