// Ends the server that the setup started; one that was named from outside is left alone.
import './global-setup.ts'

export default async function globalTeardown(): Promise<void> {
  await globalThis.dogwatchTestServer?.stop()
}
