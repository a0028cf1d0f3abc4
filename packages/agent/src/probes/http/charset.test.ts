// In which charset a body is read.
import { expect, test } from '@jest/globals'
import { decodeText } from './charset.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16le = (text: string) => Buffer.from(text, 'utf16le')
const utf16be = (text: string) => utf16le(text).swap16()
const BOM = '\uFEFF'

test.each<[what: string, bytes: Buffer, contentType: string | undefined, text: string]>([
  ['UTF-8', Buffer.from('grün'), undefined, 'grün'],
  ['nothing', Buffer.alloc(0), undefined, ''],
  ['a mark of UTF-8', Buffer.from(`${BOM}grün`), undefined, 'grün'],
  ['a mark of UTF-8 and a header that says so', Buffer.from(`${BOM}grün`), 'text/html; charset=utf-8', 'grün'],
  ['a mark of UTF-8 against its header', Buffer.from(`${BOM}grün`), 'text/html; charset=latin1', 'grün'],
  ['a mark alone', Buffer.from(BOM), undefined, ''],
  ['a second mark, which is content', Buffer.from(BOM + BOM), undefined, BOM],
  ['a mark of UTF-16, little end first', utf16le(`${BOM}grün`), undefined, 'grün'],
  ['a mark of UTF-16, big end first', utf16be(`${BOM}grün`), undefined, 'grün'],
  ['a mark of UTF-16 against its header', utf16be(`${BOM}grün`), 'text/html; charset=utf-8', 'grün'],
  ['UTF-16 by its header', utf16be('grün'), 'text/plain; charset=UTF-16BE', 'grün'],
  ['the charset of its header', latin1('grün'), 'text/plain; charset=ISO-8859-1', 'grün'],
  ['a quoted charset, after another parameter', latin1('grün'), 'text/html; a=b; charset="windows-1252"', 'grün'],
  [
    'a header against its meta',
    latin1('<meta charset=utf-8>grün'),
    'text/html; charset=latin1',
    '<meta charset=utf-8>grün',
  ],
  [
    'a header that names none, and its meta',
    latin1('<meta charset=koi8-r>\xC4\xC1'),
    'text/html; charset=x',
    '<meta charset=koi8-r>да',
  ],
  ['a meta', latin1('<head><META CHARSET="koi8-r">\xC4\xC1'), 'text/html', '<head><META CHARSET="koi8-r">да'],
  ['a meta, without a header', latin1('<meta charset=koi8-r />\xC4\xC1'), undefined, '<meta charset=koi8-r />да'],
  [
    'the older meta',
    latin1('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">\xC4\xC1'),
    'text/html',
    '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">да',
  ],
  [
    'a meta about something else, and one in a comment',
    Buffer.from('<!-- <meta charset=koi8-r> --><meta name="x" content=" charset=koi8-r"> да'),
    'text/html',
    '<!-- <meta charset=koi8-r> --><meta name="x" content=" charset=koi8-r"> да',
  ],
  [
    'a meta that says UTF-16, which it could not be read in',
    Buffer.from('<meta charset=utf-16>да'),
    'text/html',
    '<meta charset=utf-16>да',
  ],
  [
    'what looks like a meta in plain text',
    Buffer.from('<meta charset=koi8-r>да'),
    'text/plain',
    '<meta charset=koi8-r>да',
  ],
  [
    'a meta behind the first 1,024 bytes',
    Buffer.from(`${' '.repeat(1024)}<meta charset=koi8-r>да`),
    'text/html',
    `${' '.repeat(1024)}<meta charset=koi8-r>да`,
  ],
  [
    'an XML declaration',
    latin1('<?xml version="1.0" encoding="koi8-r"?><a>\xC4\xC1</a>'),
    'application/rss+xml',
    '<?xml version="1.0" encoding="koi8-r"?><a>да</a>',
  ],
  [
    'a meta against the XML declaration before it',
    latin1('<?xml version="1.0" encoding="utf-8"?><meta charset=koi8-r>\xC4\xC1'),
    'application/xhtml+xml',
    '<?xml version="1.0" encoding="utf-8"?><meta charset=koi8-r>да',
  ],
  ['Latin-1 that nobody declares', latin1('grün, caf\xE9'), 'text/plain', 'grün, café'],
  ['UTF-8 with one wrong byte', Buffer.concat([Buffer.from('grün'), latin1('\xFF')]), 'text/plain', 'grün\uFFFD'],
  ['a wrong byte of what is declared as UTF-8', latin1('gr\xFCn'), 'text/plain; charset=utf-8', 'gr\uFFFDn'],
])('%s', (_what, bytes, contentType, text) => {
  expect(decodeText(bytes, { contentType, isCut: false })).toBe(text)
})

test('a character that the cut divides does not make UTF-8 something else', () => {
  const bytes = Buffer.from('all is grü').subarray(0, -1)
  expect(decodeText(bytes, { contentType: undefined, isCut: true })).toBe('all is gr\uFFFD')
})
