// Decodes a body to text: by its byte order mark, by the charset that it declares, or else by a guess from its bytes. Pure.
import { isUtf8 } from 'node:buffer'

interface Source {
  contentType: string | undefined
  /** Whether only the beginning of the body was read, so that its last character may be incomplete. */
  isCut: boolean
}

/**
 * Returns the text of a body. As in browsers, the byte order mark decides first, then the header, `<meta>`, and the XML
 * declaration.
 */
export function decodeText(bytes: Buffer, { contentType = '', isCut }: Source): string {
  const charset = markedCharset(bytes) ?? known(IN_HEADER.exec(contentType)?.[1]) ?? declaredIn(bytes, contentType)
  if (charset === undefined) return guess(bytes, isCut)
  // The decoder drops the byte order mark.
  return new TextDecoder(charset).decode(bytes)
}

/** Whether the bytes are UTF-8. */
export function isText(bytes: Buffer, isCut: boolean): boolean {
  if (isUtf8(bytes) || !isCut) return isUtf8(bytes)
  const text = bytes.toString()
  return text.indexOf(REPLACEMENT) === text.length - 1
}

const REPLACEMENT = '\uFFFD'

const MARKS: readonly (readonly [Buffer, string])[] = [
  [Buffer.of(0xef, 0xbb, 0xbf), 'utf-8'],
  [Buffer.of(0xfe, 0xff), 'utf-16be'],
  [Buffer.of(0xff, 0xfe), 'utf-16le'],
]

function markedCharset(bytes: Buffer): string | undefined {
  return MARKS.find(([mark]) => bytes.subarray(0, mark.length).equals(mark))?.[1]
}

const IN_HEADER = /;\s*charset\s*=\s*["']?([^\s;"']+)/i
const DECLARING = /html|xml/i
/** Length of the beginning that may declare a charset, in bytes. Browsers look no further. */
const DECLARED_MAX_BYTES = 1024
const META = /<meta[\s/][^>]*/gi
const CHARSET = /[\s"'/;]charset\s*=\s*(?:["']\s*)?([^\s"'/>;]+)/i
const CONTENT = /[\s"'/]content\s*=/i
const OF_CONTENT_TYPE = /[\s"'/]http-equiv\s*=\s*["']?content-type/i
const XML = /^\s*<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"']+)/i

/** Returns the charset that a document names at its beginning, or undefined if the document names no known charset. */
function declaredIn(bytes: Buffer, contentType: string): string | undefined {
  if (contentType !== '' && !DECLARING.test(contentType)) return undefined
  const beginning = bytes.toString('latin1', 0, DECLARED_MAX_BYTES)
  const metas = withoutComments(beginning).match(META) ?? []
  const charsets = metas
    .filter((meta) => !CONTENT.test(meta) || OF_CONTENT_TYPE.test(meta))
    .map((meta) => known(CHARSET.exec(meta)?.[1]))
  const charset = charsets.find((one) => one !== undefined) ?? known(XML.exec(beginning)?.[1])
  // A declaration that names UTF-16 is wrong, because in UTF-16 it could not have been found by its bytes.
  return charset?.startsWith('utf-16') ? 'utf-8' : charset
}

/**
 * Removes HTML comments. A regular expression could take quadratic time, because it looks for the end of a comment again at each
 * beginning.
 */
function withoutComments(text: string): string {
  let [kept, at] = ['', 0]
  for (let from = text.indexOf('<!--'); from >= 0; from = text.indexOf('<!--', at)) {
    const end = text.indexOf('-->', from + 4)
    if (end < 0) break
    kept += text.slice(at, from)
    at = end + 3
  }
  return kept + text.slice(at)
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/**
 * Decodes bytes without a declared charset: as Latin-1 if they contain bytes beyond ASCII, but no UTF-8, and otherwise as UTF-8.
 */
function guess(bytes: Buffer, isCut: boolean): string {
  const text = bytes.toString()
  if (isText(bytes, isCut) || /[^\0-\x7F\uFFFD]/.test(text)) return text
  return new TextDecoder('windows-1252').decode(bytes)
}
