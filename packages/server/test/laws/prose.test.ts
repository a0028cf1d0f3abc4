// The linter of messages, comments and documents finds what the writing rules forbid.
import { describe, expect, test } from '@jest/globals'
import { COMMENT_RULES, commentBreaches, repeatedTypeBreaches } from '../../../../scripts/prose/comments.ts'
import { documentBreaches } from '../../../../scripts/prose/documents.ts'
import { breachesOf, RULES, textsOf } from '../../../../scripts/prose/messages.ts'

/** A sentence that breaks each rule. */
const PLANTED: Readonly<Record<string, string>> = {
  M1: 'This monitor does not report any more',
  M2: 'The owner was told by email',
  M3: 'By which you recognise the key',
  M4: 'Nobody acknowledged the incident',
  M5: 'tags, with commas between them',
  M6: 'there are as many as may be',
  M7: 'The mail could not be sent',
  M8: 'a route with that name exists already',
  M9: 'the token is invalid: create another one',
  M10: 'This link is unknown or too old',
  M11: 'the nearest is tcp',
  M12: 'the upload failed and will be retried',
  M13: 'it starts by itself',
  M14: 'The token is of another organisation',
  M15: 'The certificate ends tomorrow',
}

describe('messages', () => {
  test.each(RULES.map(({ name }) => name))('%s finds a planted sentence, in a literal and in an element', (name) => {
    const sentence = PLANTED[name] ?? ''
    expect(breachesOf('a.ts', `const text = ${JSON.stringify(sentence)}`).map(({ rule }) => rule)).toEqual([name])
    expect(breachesOf('a.tsx', `const page = <p>\n  ${sentence}\n</p>`).map(({ rule, line }) => [rule, line])).toEqual([
      [name, expect.any(Number)],
    ])
  })

  test('a value that a template inserts ends no sentence', () => {
    const source = 'throw new Error(`${monitor} does not answer ${path} any more`)'
    expect(breachesOf('a.ts', source)).toMatchObject([{ rule: 'M1', line: 1, text: '… does not answer … any more' }])
  })

  test('SQL, imports, types and single words are no messages', () => {
    const source = [
      "import { it } from 'by the way of a module'",
      "type Kind = 'told of it' | 'nobody at all'",
      "const one = 'nobody'",
      'const rows = sql`select nobody from those where it is told`',
    ].join('\n')
    expect(textsOf('a.ts', source)).toEqual([])
  })
})

/** A comment that breaks each rule. */
const PLANTED_COMMENTS: Readonly<Record<string, string>> = {
  C1: 'What a monitor does next.',
  C2: 'Reads the time. Undefined: nobody knows it.',
  C3: `Reads ${'very '.repeat(50)}much.`,
  C4: 'Reads the time that a monitor was told.',
  C5: 'Reads the check on which another one depends.',
  C6: 'Reads the checks that were paused and are deleted.',
  C7: 'The newest check.',
}

describe('comments', () => {
  const rulesOf = (source: string) => commentBreaches('a.ts', source).map(({ rule }) => rule)

  test.each([...COMMENT_RULES.map(({ name }) => name), 'C7'])('%s finds a planted comment', (name) => {
    const comment = PLANTED_COMMENTS[name] ?? ''
    expect(rulesOf(`/** ${comment} */\nfunction read() {}`)).toContain(name)
    expect(rulesOf(`/**\n * ${comment}\n */\nconst read = () => 1`)).toContain(name)
  })

  test('a comment that begins with a verb is well, and so is one of a field that begins with a noun', () => {
    expect(rulesOf('/** Reads the newest check. */ function read() {}')).toEqual([])
    expect(rulesOf('interface Check {\n  /** Time of the newest run. */\n  at: string\n}')).toEqual([])
  })

  test('a type that is named by a participle and a predicate that returns no boolean are found', () => {
    expect(rulesOf('interface Told {}\ntype Stored = 1\nclass Heartbeat {}\ntype Feed = 1')).toEqual(['N1', 'N1'])
    expect(rulesOf('function isRunning(): string {}\nfunction isDown(): Promise<boolean> {}')).toEqual(['N2'])
  })
})

describe('names of types', () => {
  const paths = ['agent/src/a.ts', 'server/src/a.ts', 'server/src/b.ts', 'server/src/c.tsx'].map(
    (path) => `packages/${path}`,
  )
  const sourcesOf = (text: string, count: number) => new Map(paths.slice(0, count).map((path) => [path, text]))

  test.each(['interface Place {}', 'export type Place = 1', 'export abstract class Place {}'])(
    'a third file of a package that declares "%s" is found, with the other two',
    (text) => {
      const breaches = repeatedTypeBreaches(sourcesOf(`\n${text}`, 4))
      expect(breaches).toMatchObject(paths.slice(1).map((file) => ({ file, line: 2, rule: 'N3', text: 'Place' })))
      expect(repeatedTypeBreaches(sourcesOf(text, 3))).toEqual([])
    },
  )

  test('each page may have its Props', () => {
    expect(repeatedTypeBreaches(sourcesOf('interface Props {}', 4))).toEqual([])
  })
})

describe('documents', () => {
  const rulesOf = async (text: string) => (await documentBreaches({ 'page.md': text })).map(({ rule }) => rule)

  test('a long line outside tables and code is found', async () => {
    const long = 'word '.repeat(25).trim()
    expect(await rulesOf(`# Page\n\n${long}\n`)).toEqual(['MD013'])
    expect(await rulesOf(`# Page\n\n\`\`\`text\n${long}\n\`\`\`\n`)).toEqual([])
  })

  test('a table without a heading and a cell that is too long are found', async () => {
    expect(await rulesOf('# Page\n\n| name | |\n| --- | --- |\n| a | b |\n')).toEqual(['T1'])
    expect(await rulesOf(`# Page\n\n| name | what |\n| --- | --- |\n| a | ${'x'.repeat(121)} |\n`)).toEqual(['T2'])
  })
})
