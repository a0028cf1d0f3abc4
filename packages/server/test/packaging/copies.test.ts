// The SDKs share no published package, so what they have in common is in each. Here is where the copies stay equal.

import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { SDK_COPIES } from '../../../../scripts/sdk-copies.ts'

test.each(SDK_COPIES)(
  '$file of $sdk is that of the monitor SDK; `node scripts/sdk-copies.ts` copies it anew',
  (one) => {
    expect(readFileSync(one.copy, 'utf8')).toBe(readFileSync(one.original, 'utf8'))
  },
)
