// Keeps what the two SDKs have in common equal: each carries its own copy, so that neither depends on a third package.
// `node scripts/sdk-copies.ts` takes the copies anew from the monitor SDK; a test compares them.
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const packages = fileURLToPath(new URL('../packages/', import.meta.url))

const COPIED = [
  'src/connection.ts',
  'src/errors.ts',
  'src/operation.ts',
  'src/options.ts',
  'src/retry.ts',
  'src/stopping.ts',
  'src/transport.ts',
  'test/misbehaving-server.ts',
]

/** Each file that both packages have, and where its copy is. */
export const SDK_COPIES = COPIED.map((file) => ({
  file,
  original: join(packages, 'monitor-sdk', file),
  copy: join(packages, 'account-sdk', file),
}))

if (import.meta.main) {
  for (const { original, copy } of SDK_COPIES) copyFileSync(original, copy)
}
