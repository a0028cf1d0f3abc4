// What goes wrong on this machine is told as that, and says nothing of a target.
import { expect, test } from '@jest/globals'
import { observe } from '../../src/probes/attempt.ts'
import { faultOf } from '../../src/probes/faults.ts'
import { OwnTrouble } from '../../src/process/own-trouble.ts'

const coded = (code: string) => Object.assign(new Error(code), { code })

test.each(['EADDRNOTAVAIL', 'EPERM', 'EACCES', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])(
  '%s is trouble of this machine',
  (code) => {
    expect(faultOf(coded(code), 'connect')).toMatchObject({ why: code })
    const tried = (other: string) => faultOf(new AggregateError([coded(other), coded(code)]), 'connect')
    expect(tried('ENETUNREACH')).toBeInstanceOf(OwnTrouble)
    // Another address of the target did answer.
    expect(tried('ECONNREFUSED')).toMatchObject({ kind: 'refused' })
  },
)

test('a socket that this machine has not leaves no result', async () => {
  const bounds = { timeout_ms: 5000, mayDial: () => true }
  const looking = observe(bounds, (attempt) => attempt.failBy(coded('EMFILE')))
  await expect(looking).rejects.toMatchObject({ why: 'EMFILE' })
})
