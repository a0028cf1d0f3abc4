// Tests that need a view of the machine of their own, which takes root; elsewhere their names say why they are left out.
import { spawnSync } from 'node:child_process'
import { test } from '@jest/globals'

export const canMount = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0

/** `test` for root; for others a test that is left out, and says so. */
export function asRoot(name: string, run: () => Promise<void>, timeout_ms?: number): void {
  if (canMount) test(name, run, timeout_ms)
  else test.skip(`${name} (left out: it mounts a file system, which takes root)`, run)
}
