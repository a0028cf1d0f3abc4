// Keeps what the SDKs have in common equal: each carries its own copy, so that none depends on another package.
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

/** The operations of the configuration SDK make their requests themselves. */
const NOT_IN: Readonly<Record<string, readonly string[]>> = { 'config-sdk': ['src/connection.ts'] }

/** Each file that all of them have, and where a copy is. */
export const SDK_COPIES = ['account-sdk', 'config-sdk'].flatMap((sdk) =>
  COPIED.filter((file) => !NOT_IN[sdk]?.includes(file)).map((file) => ({
    file,
    sdk,
    original: join(packages, 'monitor-sdk', file),
    copy: join(packages, sdk, file),
  })),
)

if (import.meta.main) {
  for (const { original, copy } of SDK_COPIES) copyFileSync(original, copy)
}
