// COPY ... TO STDOUT through pg, which knows the messages but has no function for receiving them.
import type { Client, Connection, Submittable } from 'pg'

/** Runs one COPY and counts what arrives; resolves to the rows and their bytes. */
export function copyOut(client: Client, text: string): Promise<{ rows: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(text, (error, copied) => (error ? reject(error) : resolve(copied))))
  })
}

// pg calls these by name when messages of the server arrive.
class CopyOut implements Submittable {
  readonly #text: string
  readonly #settle: (error: Error | null, copied: { rows: number; bytes: number }) => void
  readonly #copied = { rows: 0, bytes: 0 }
  #failed = false

  constructor(text: string, settle: (error: Error | null, copied: { rows: number; bytes: number }) => void) {
    this.#text = text
    this.#settle = settle
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  /** One message is one row. */
  handleCopyData({ chunk }: { chunk: Buffer }): void {
    this.#copied.rows++
    this.#copied.bytes += chunk.length
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#failed = true
    this.#settle(error, this.#copied)
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.#settle(null, this.#copied)
  }
}
