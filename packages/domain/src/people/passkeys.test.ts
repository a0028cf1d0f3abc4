import { expect, test } from '@jest/globals'
import { siteOf, transportsIn } from './passkeys.ts'

test.each([
  ['https://dogwatch.example', { rp_id: 'dogwatch.example', origin: 'https://dogwatch.example' }],
  ['https://dogwatch.example:8443/', { rp_id: 'dogwatch.example', origin: 'https://dogwatch.example:8443' }],
  ['http://localhost:8080', { rp_id: 'localhost', origin: 'http://localhost:8080' }],
  ['http://dogwatch.example', undefined],
  ['http://127.0.0.1:8080', undefined],
  ['https://192.0.2.1', undefined],
  ['https://[2001:db8::1]', undefined],
])('passkeys at %s', (public_url, site) => {
  expect(siteOf(public_url)).toEqual(site)
})

test.each([
  [
    ['usb', 'smart-card'],
    ['usb', 'smart-card'],
  ],
  [['usb', 'no such way!', 1, ['usb'], null], ['usb']],
  ['usb', []],
  [null, []],
  [undefined, []],
])('of %j as ways to reach a passkey, %j are kept', (given, kept) => {
  expect(transportsIn(given)).toEqual(kept)
})
