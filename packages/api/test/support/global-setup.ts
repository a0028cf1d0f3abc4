// Once per run: the Postgres of all tests, and Prism, which judges answers.
import startPostgres from '../../../store/test/support/global-setup.ts'
import { openPrism, type PrismServer } from './prism.ts'

declare global {
  var dogwatchTestPrism: PrismServer | undefined
}

export default async function globalSetup(): Promise<void> {
  await startPostgres()
  try {
    globalThis.dogwatchTestPrism = await openPrism()
  } catch (error) {
    // Jest runs no teardown after a setup that failed.
    await globalThis.dogwatchTestServer?.stop()
    throw error
  }
}
