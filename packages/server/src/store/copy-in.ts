// COPY ... FROM STDIN: the cheapest way for rows into a table, where no row may be known already.
import pg from 'pg'

// The parts of pg that its types leave out.
interface Wire {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}
type Told = (error: Error | null | undefined) => void
type AskWith = (query: unknown, values: undefined, told: Told) => void
const Query = pg.Query as unknown as new (text: string) => object

class CopyIn extends Query {
  readonly #rows: Buffer

  constructor(text: string, rows: Buffer) {
    super(text)
    this.#rows = rows
  }

  handleCopyInResponse(connection: Wire): void {
    connection.sendCopyFromChunk(this.#rows)
    connection.endCopyFrom()
  }
}

/** Runs one COPY with all its rows, as `copyRows` writes them. */
export function copyIn(client: Pick<pg.Client, 'query'>, text: string, rows: Buffer): Promise<void> {
  const ask = client.query.bind(client) as AskWith
  return new Promise((resolve, reject) => {
    ask(new CopyIn(text, rows), undefined, (error) => (error ? reject(error) : resolve()))
  })
}

export type CopyValue = string | number | boolean | null

const NONE = '\\N'
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Rows in the text format of COPY. */
export function copyRows(rows: readonly (readonly CopyValue[])[]): Buffer {
  return Buffer.from(rows.map((row) => `${row.map(toCopy).join('\t')}\n`).join(''))
}

function toCopy(value: CopyValue): string {
  if (value === null) return NONE
  return typeof value === 'string' ? value.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char] ?? char) : String(value)
}
