// Rows in the binary format of COPY, read back: whatever their texts take, the values behind them have their place.
import { expect, test } from '@jest/globals'
import { CopyRows } from '../src/copy-in.ts'

const SIGNATURE_BYTES = 19
const ROWS = 20

/** The texts of the first column. */
function readTexts(bytes: Buffer): string[] {
  const texts: string[] = []
  let at = SIGNATURE_BYTES
  for (;;) {
    const columns = bytes.readInt16BE(at)
    at += 2
    if (columns < 0) return texts
    for (let column = 0; column < columns; column++) {
      const length = bytes.readInt32BE(at)
      if (column === 0) texts.push(bytes.toString('utf8', at + 4, at + 4 + length))
      at += 4 + Math.max(length, 0)
    }
  }
}

test.each([
  ['one byte', 'a'],
  ['two bytes', 'é'],
  ['three bytes', '漢'],
  ['four bytes', '🐕'],
])('texts of characters of %s, of any length', (_, character) => {
  for (let length = 0; length < 200; length++) {
    const text = character.repeat(length)
    const copied = new CopyRows(5, 1)
    for (let row = 0; row < ROWS; row++) {
      copied.begin(60)
      copied.text(text)
      copied.bigint(2 ** 40)
      copied.instant('2026-11-20T12:00:00.123456Z')
      copied.smallint(null)
      copied.integer(7)
    }
    expect(readTexts(copied.end())).toEqual(Array.from({ length: ROWS }, () => text))
  }
})
