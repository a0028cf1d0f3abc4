// Ends what the setup started.
import './global-setup.ts'
import stopPostgres from '../../../store/test/support/global-teardown.ts'

export default async function globalTeardown(): Promise<void> {
  await globalThis.dogwatchTestPrism?.close()
  await stopPostgres()
}
