// Templates that people write: strict when they are saved, kind at night, bounded always.
import { describe, expect, test } from '@jest/globals'
import { RenderThread } from '../src/webhook-template/apart.ts'
import { templateKind } from '../src/webhook-template/kind.ts'
import { render } from '../src/webhook-template/render.ts'
import { SAMPLES } from '../src/webhook-template/samples.ts'

// A busy machine gives the thread its time late, and that is no fault of a template.
const thread = new RenderThread({ wait_ms: 60_000, stuck_ms: 60_000 })
const webhookTemplate = templateKind(thread)
const GIVEN = { template_url: 'https://example.com/', template_method: '', template_headers: '', template_body: '{}' }
const faultOf = async (given: Partial<typeof GIVEN>) => webhookTemplate.fault?.({ ...GIVEN, ...given })
const [DOWN, UP] = SAMPLES
if (!DOWN || !UP) throw new Error('no samples')

describe('when it is saved', () => {
  test.each([
    ['{"text": {{ message.title | json }}}'],
    ['{"c": {% if data.check %}{{ data.check.name | json }}{% else %}null{% endif %}}'],
    ['{"e": {{ data.error | default: "none" | json }}, "data": {{ data | json }}}'],
    ['[{% for line in message.lines %}{{ line | json }}{% unless forloop.last %},{% endunless %}{% endfor %}]'],
  ])('%s is taken', async (template_body) => expect(await faultOf({ template_body })).toBeUndefined())

  test.each([
    [
      '{"text": {{ message.titel | json }}}',
      /could not be rendered: undefined variable: message\.titel.* \(for check\.down\)$/,
    ],
    ['{"c": {{ data.check.name | json }}}', /undefined variable: .*\(for heartbeat\.down\)$/],
    ['{% if type == "check.degraded" %}{{ data.incident_id }}{% endif %}{}', /incident_id.*\(for check\.degraded\)$/],
    ['{% if type == "check.settled" %}{{ data.failures }}{% endif %}{}', /failures.*\(for check\.settled\)$/],
    [
      '{"text": "{{ message.title }}"}',
      /does not produce valid JSON \(for check\.down\); insert strings with \{\{ message\.title \| json \}\}/,
    ],
    ['{"text": {{ message.title | shout }}}', /undefined filter: shout/],
    ['{% if data.check %}{}', /tag .*if.* not closed/],
    ['{% include "../../../package.json" %}', /could not be rendered: /],
    ['{% render "/etc/passwd" %}', /could not be rendered: /],
    ['{% layout "/etc/passwd" %}', /could not be rendered: /],
    ['{{ data.constructor | json }}', /undefined variable/],
    ['{{ message.title.__proto__ | json }}', /undefined variable/],
  ])('%s is refused', async (template_body, says) => expect((await faultOf({ template_body }))?.must).toMatch(says))

  test('what is no JSON may be anything when its headers say so', async () => {
    expect(
      await faultOf({ template_body: '{{ message.title }}', template_headers: 'Content-Type: text/plain' }),
    ).toBeUndefined()
  })

  test.each([
    ['Authorization', 'is missing the colon after its name'],
    ['Content-Length: 3', 'is set automatically and must be omitted'],
    ['A b: c', 'must have a valid header name'],
    ['A: b\nA: c', 'must not repeat a header name'],
    [Array.from({ length: 11 }, (_, i) => `X-${i}: 1`).join('\n'), 'must have no more than 10 lines'],
  ])('the headers %j are refused', async (template_headers, says) =>
    expect((await faultOf({ template_headers }))?.must).toContain(says),
  )
})

describe('at night', () => {
  test('what an event does not have is empty, and the alert goes out', () => {
    const body = '{{ message.title }}: {{ data.nothing.there }}'
    expect(render(body, DOWN, { isStrict: false })).toEqual({ text: 'Down: The "shop" & more (HTTP 502): ' })
    expect(render(body, DOWN, { isStrict: true })).toMatchObject({ fault: expect.stringMatching(/undefined variable/) })
  })

  test.each([
    ['a loop without an end', '{% for i in (1..100000000) %}{{ i }}{% endfor %}'],
    [
      'loops in loops',
      '{% for i in (1..999) %}{% for j in (1..999) %}{% for k in (1..999) %}x{% endfor %}{% endfor %}{% endfor %}',
    ],
    ['loops in which nothing happens', '{% for i in (1..900) %}{% for j in (1..900) %}{% endfor %}{% endfor %}'],
    ['many dates', '{% for i in (1..9000) %}{% assign x = timestamp | date: "%A", "America/New_York" %}{% endfor %}'],
    ['a text that doubles', `{% assign a = "xxxxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(60)}{{ a }}`],
    [
      'a text that is replaced by itself',
      `{% assign a = "aaaaaaaaaa" %}${'{% assign a = a | replace: "a", a %}'.repeat(9)}{{ a }}`,
    ],
    ['a long template', 'x'.repeat(10_001)],
    ['a long format of a date', `{{ "now" | date: "${'%A%B%Z%p%c'.repeat(900)}" }}`],
    ['a long array that is sorted', '{{ (1..60000) | sort_natural | size }}'],
    [
      'an expression for each of many elements',
      '{% assign a = (1..20000) %}{{ a | where_exp: "x", "a contains x" | size }}',
    ],
    [
      'a capture of itself',
      `{% capture a %}xxxxxxxxxx{% endcapture %}${'{% capture a %}{{ a }}{{ a }}{% endcapture %}'.repeat(24)}{% if a contains "y" %}{% endif %}`,
    ],
    [
      'a condition that searches a long text again and again',
      `{% assign a = "xxxxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(13)}{% if ${'a contains "y" or '.repeat(400)} true %}{% endif %}`,
    ],
  ])('%s ends soon', (_, template) => {
    // Without a budget of time, which is a last resort: the others hold on any machine.
    const rendered = render(template, DOWN, { isStrict: false })
    expect(rendered).toEqual({ fault: expect.stringMatching(/./) })
  })

  test('an event about five hundred checks is rendered whole', () => {
    const check = { guid: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0001', name: 'n'.repeat(200), since: DOWN.timestamp }
    const told = { ...DOWN, data: { checks: Array.from({ length: 500 }, () => check) } }
    const body =
      '[{% for c in data.checks %}{"name": {{ c.name | json }}, "guid": {{ c.guid | json }}, "since": {{ c.since | date: "%Y" | json }}}{% unless forloop.last %},{% endunless %}{% endfor %}]'
    const rendered = render(body, told, { isStrict: true })
    expect('text' in rendered ? (JSON.parse(rendered.text) as unknown[]) : rendered).toHaveLength(500)
    expect(render('{{ data | json }}', told, { isStrict: true })).toMatchObject({
      text: expect.stringMatching(/^\{"checks":\[/),
    })
  })

  test('a template changes nothing for the next', () => {
    render('{% assign message = 1 %}{% assign data = 2 %}', DOWN, { isStrict: false })
    expect(render('{{ message.title }}', UP, { isStrict: true })).toEqual({ text: UP.message.title })
  })
})

test('a preview shows what would be sent, and of its headers the names', async () => {
  const shown = await webhookTemplate.preview?.({
    ...GIVEN,
    template_method: 'PATCH',
    template_headers: 'Authorization: Bearer hush-hush',
    template_body: '{"text": {{ message.title | json }}}',
  })
  expect(shown).toEqual([
    {
      label: 'check.down',
      value:
        'PATCH example.com\ncontent-type: application/json\nauthorization: ***\n\n{"text": "Down: The \\"shop\\" & more (HTTP 502)"}',
    },
    expect.objectContaining({ label: 'check.up' }),
    expect.objectContaining({ label: 'check.reminder' }),
  ])
  expect(await webhookTemplate.preview?.({ ...GIVEN, template_body: '{{' })).toEqual({
    fault: { field: 'template_body', must: expect.stringMatching(/./) },
  })
})

test('a template that takes long is rendered beside the server, which goes on meanwhile; many at once are answered in order', async () => {
  const slow = `{% assign a = "xxxxxxxxxx" %}${'{% assign a = a | append: a %}'.repeat(13)}{% if ${'a contains "y" or '.repeat(400)} true %}{% endif %}`
  let turns = 0
  const ticking = setInterval(() => turns++, 1)
  const all = await Promise.all([
    thread.render(1, '{{ message.title }}', DOWN),
    thread.render(1, slow, DOWN),
    thread.render(1, '{{ message.title }}', UP),
  ])
  clearInterval(ticking)
  expect(all).toEqual([{ text: DOWN.message.title }, { fault: expect.any(String) }, { text: UP.message.title }])
  expect(turns).toBeGreaterThan(0)
})

test('a thread that does not answer in time is ended, and the next template has another', async () => {
  const long = '{% for i in (1..5000) %}{{ i }}{% endfor %}'
  const hasty = new RenderThread({ tries_ms: [0], stuck_ms: 60_000 })
  expect(await hasty.render(1, long, DOWN)).toEqual({ fault: 'took too long to render; simplify the template' })
  // A short one: a busy machine may need its second for a long one.
  const short = '{% for i in (1..5) %}{{ i }}{% endfor %}'
  expect(await thread.render(1, short, DOWN)).toEqual({ text: '12345' })
})

test('templates of others that take long on a real event hold up nobody whose template takes little', async () => {
  const check = { guid: '5b3f0f6e-6a0e-4a52-9d7e-0d4a7f1c0001', name: 'n'.repeat(200), since: DOWN.timestamp }
  const event = { ...DOWN, data: { checks: Array.from({ length: 500 }, () => check) } }
  const long = '{% for i in (1..390) %}{% assign a = data.checks | where: "name.first.size", "x" %}{% endfor %}long'
  const done: string[] = []
  const render = async (org_id: number, template: string, told: typeof DOWN) => {
    const rendered = await thread.render(org_id, template, told)
    done.push('text' in rendered ? rendered.text : org_id < 10 ? 'long' : rendered.fault)
  }
  await Promise.all([
    ...Array.from({ length: 9 }, (_, n) => render(1 + n, long, event)),
    render(10, '{{ message.title }}', DOWN),
  ])
  expect(done).toEqual([DOWN.message.title, ...Array<string>(9).fill('long')])
})
