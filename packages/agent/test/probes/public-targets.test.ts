// Members of the shared fleet dial public addresses alone, however a target is spelt and wherever its name leads.
import { expect, test } from '@jest/globals'
import { run } from '../support/checks.ts'

/** One of each way to an address; which addresses are public is the rule of a target, with tests of its own. */
const HOSTS = [
  '127.0.0.1',
  '0x7f.1',
  'localhost',
  'localhost.',
  '169.254.169.254',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[fd00::1]',
]
const schemes = ['http', 'https', 'tcp', 'tls']

test.each(HOSTS)('%s is not dialled by the shared fleet, over no scheme', async (host) => {
  for (const scheme of schemes) {
    const found = await run(`${scheme}://${host}:9`, {}, { public_targets_only: true })
    expect(found.error).toBe('blocked: the address is not public')
  }
})

test('a target that may not be dialled stays a failure in upside-down mode', async () => {
  const found = await run('http://10.0.0.1/', { invert_result: true }, { public_targets_only: true })
  expect(found).toMatchObject({ success: false, kind: 'blocked' })
})
