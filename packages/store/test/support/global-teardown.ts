// Ends what the setup started; a server that was named from outside is left alone.
import './global-setup.ts'

export default async function globalTeardown(): Promise<void> {
  await globalThis.dogwatchTestServer?.stop()
  globalThis.dogwatchTestServer = undefined
}
