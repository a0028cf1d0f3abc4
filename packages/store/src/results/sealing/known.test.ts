import { expect, test } from '@jest/globals'
import { Sealing } from './known.ts'

test('an answer to a question from before a change is not kept', async () => {
  const answers: ((sealed_until: string) => void)[] = []
  const query = () =>
    new Promise((resolve) => {
      answers.push((sealed_until) => resolve({ rows: [{ is_so: true, sealed_until }] }))
    })
  const sealing = new Sealing({ query } as never)
  const asked = sealing.sealedUntil()
  sealing.forget()
  answers[0]?.('2026-11-20T10:00:00.000000Z')
  await asked
  const askedAgain = sealing.sealedUntil()
  expect(answers).toHaveLength(2)
  answers[1]?.('2026-11-20T11:00:00.000000Z')
  expect(await askedAgain).toBe('2026-11-20T11:00:00.000000Z')
  expect(await sealing.sealedUntil()).toBe('2026-11-20T11:00:00.000000Z')
})
