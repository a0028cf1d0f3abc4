// The golden messages of some kinds, held against what their vendors publish: types of what they take, compiled with each message as a
// literal, so that a field that the vendor does not know is a fault as well; for Teams the parser of Adaptive Cards.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import ts from 'typescript'

// Its modules are for bundlers; this is what it has for everybody else.
const { AdaptiveCard, SerializationContext, Versions } = createRequire(import.meta.url)(
  'adaptivecards/dist/adaptivecards.js',
) as typeof import('adaptivecards')

/** The type of a body of each kind, and a change that its vendor would not take. */
const VENDORS: Readonly<Record<string, { type: string; wrong: (body: string) => string }>> = {
  slack: {
    type: `{ text: string, mrkdwn?: boolean, unfurl_links?: boolean, unfurl_media?: boolean,
      blocks: import('@slack/types').KnownBlock[] }`,
    wrong: (body) => body.replace('"type":"header"', '"type":"heading"'),
  },
  discord: {
    type: "import('discord-api-types/v10').RESTPostAPIWebhookWithTokenJSONBody",
    wrong: (body) => body.replace('"description":', '"descriptions":'),
  },
  telegram: {
    type: "Parameters<import('@grammyjs/types').ApiMethods<never>['sendMessage']>[0]",
    wrong: (body) => body.replace('"HTML"', '"Html"'),
  },
  mattermost: {
    type: "{ attachments: import('@mattermost/types/message_attachments').MessageAttachment[] }",
    wrong: (body) => body.replace('"short":true', '"short":"true"'),
  },
}

function goldenOf(kind: string): unknown[] {
  const url = new URL(`../src/${kind}/golden.json`, import.meta.url)
  return Object.values(JSON.parse(readFileSync(url, 'utf8')) as Record<string, unknown>)
}

/** What the compiler has against a file beside this one. */
function faultsOf(text: string): string[] {
  const name = fileURLToPath(new URL('made-up.ts', import.meta.url))
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  }
  const host = ts.createCompilerHost(options)
  const { readFile, fileExists, getSourceFile } = host
  host.fileExists = (file) => file === name || fileExists.call(host, file)
  host.readFile = (file) => (file === name ? text : readFile.call(host, file))
  host.getSourceFile = (file, ...rest) =>
    file === name ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022) : getSourceFile.call(host, file, ...rest)
  const program = ts.createProgram([name], options, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0, file }) => {
    const line = file ? file.getLineAndCharacterOfPosition(start).line + 1 : 0
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ').slice(0, 200)}`
  })
}

test('the messages of Slack, Discord, Telegram and Mattermost are of the types that these publish', () => {
  const literals = Object.entries(VENDORS).flatMap(([kind, { type, wrong }]) => {
    const bodies = goldenOf(kind).map((body) => JSON.stringify(body))
    expect(bodies.length).toBeGreaterThan(20)
    // The last of each is wrong: the type tells.
    return [
      ...bodies.map((body) => ({ kind, type, body })),
      { kind: `${kind}, wrong`, type, body: wrong(bodies[0] ?? '') },
    ]
  })
  const text = literals.map(({ type, body }) => `void (${body} satisfies ${type.replaceAll('\n', ' ')})`).join('\n')
  const faults = faultsOf(`${text}\nexport {}\n`)
  const faulty = new Set(faults.map((fault) => literals[Number.parseInt(fault, 10) - 1]?.kind ?? fault))
  expect([faulty, faults.filter((fault) => !literals[Number.parseInt(fault, 10) - 1]?.kind.endsWith('wrong'))]).toEqual(
    [new Set(Object.keys(VENDORS).map((kind) => `${kind}, wrong`)), []],
  )
})

test('the cards of Teams are cards to the parser of Adaptive Cards', () => {
  const parse = (card: object): string[] => {
    const context = new SerializationContext(Versions.v1_4)
    new AdaptiveCard().parse(card, context)
    return Array.from({ length: context.eventCount }, (_, n) => context.getEventAt(n).message)
  }
  const cards = goldenOf('teams').map(
    (body) => (body as { attachments: { content: object }[] }).attachments[0]?.content ?? {},
  )
  expect(cards.length).toBeGreaterThan(20)
  expect(cards.flatMap(parse)).toEqual([])
  const [card = {}] = cards
  const wrong = JSON.parse(
    JSON.stringify(card).replace('"large"', '"huge"').replace('"TextRun"', '"TextRuns"'),
  ) as object
  expect(parse(wrong).length).toBeGreaterThan(0)
})
