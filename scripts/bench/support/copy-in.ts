// COPY ... FROM STDIN through pg, which knows the messages but has no function for sending them.
import type { Client, Connection, Submittable } from 'pg'

// The parts of pg's connection that its types leave out.
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Runs one COPY with all its rows; resolves once they are committed. */
export function copyIn(client: Client, text: string, rows: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null) => (error ? reject(error) : resolve())
    client.query(new CopyIn(text, rows, settle))
  })
}

// pg calls these by name when messages of the server arrive.
class CopyIn implements Submittable {
  readonly #text: string
  readonly #rows: Buffer
  readonly callback: (error: Error | null) => void
  #failed = false

  constructor(text: string, rows: Buffer, callback: (error: Error | null) => void) {
    this.#text = text
    this.#rows = rows
    this.callback = callback
  }

  submit(connection: Connection): void {
    connection.query(this.#text)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    connection.sendCopyFromChunk(this.#rows)
    connection.endCopyFrom()
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#failed = true
    this.callback(error)
  }

  handleReadyForQuery(): void {
    if (!this.#failed) this.callback(null)
  }
}
