import { expect, test } from '@jest/globals'
import { redact, secretsOf } from './redact.ts'

test('a secret that overlaps another leaves nothing of it', () => {
  const definition = { url: 'https://example.com/?key=before-the-s', headers: { 'X-Api-Key': 'secret-of-the-header' } }
  const text = 'it sent before-the-secret-of-the-header, and more'
  expect(redact(text, secretsOf(definition))).toBe('it sent ***, and more')
})

test('each place of a secret is replaced, also side by side', () => {
  const secrets = secretsOf({ headers: { 'X-Api-Key': 'secret' } })
  expect(redact('secretsecret and secret.', secrets)).toBe('****** and ***.')
})

test('a definition of very many secrets is listed as far as is needed to hide its texts whole', () => {
  const words = Array.from({ length: 1000 }, (_, n) => `word-${n}`)
  const headers = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`X-${n}`, words.join(`;${n}`)]))
  const secrets = secretsOf({ url: 'https://example.com/', headers, post_data: JSON.stringify(words) })
  expect(secrets.length).toBeLessThan(250)
  expect(redact('an answer of its target', secrets)).toBe('***')
})
