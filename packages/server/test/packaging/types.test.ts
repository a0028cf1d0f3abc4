// The mistakes in each SDK's client.types.ts must not compile, and everything else in it must.

import { join } from 'node:path'
import { test } from '@jest/globals'
import { ROOT, runProgram, SDKS, tool } from './sdk-projects.ts'

test.each(SDKS)('the types of %s refuse the mistakes that they are there to refuse', async (sdk) => {
  await runProgram(process.execPath, [
    tool('typescript/bin/tsc'),
    '--noEmit',
    '-p',
    join(ROOT, 'packages', sdk, 'test'),
  ])
})
