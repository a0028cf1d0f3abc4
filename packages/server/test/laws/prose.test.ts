// The linter of messages and documents finds what the writing rules forbid.
import { describe, expect, test } from '@jest/globals'
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
