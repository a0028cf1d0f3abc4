// A real SMTP server that keeps the mail it got.
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface Mail {
  from: string
  to: string[]
  /** Headers and body as they came. */
  raw: string
}

export interface MailServer {
  port: number
  got: Mail[]
  close(): Promise<void>
}

/** Takes anything without a login, unless told otherwise; at any free port, or at one where another was before. */
export async function mailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const got: Mail[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    // Else it warns of the certificate that it brings.
    logger: false,
    ...options,
    onData: (stream, { envelope }, callback) => {
      void text(stream).then((raw) => {
        const from = envelope.mailFrom === false ? '' : (envelope.mailFrom as { address: string }).address
        got.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw })
        if (options.onData) options.onData(stream, {} as never, callback)
        else callback()
      })
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  server.on('error', () => {})
  return {
    port: (server.server.address() as AddressInfo).port,
    got,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
