// Escapes external text for Markdown.

/** Characters that need a backslash to appear as themselves. */
const MARKS = /[\\`*_~|>#[\]()-]/g

/** Escapes a text word by word. Web addresses stay unescaped, so that readers can follow them. */
export function escapeMarkdown(text: string): string {
  return text
    .split(' ')
    .map((word) => (/^https?:\/\/[^\s<>[\]()|*`]+$/.test(word) ? word : word.replaceAll(MARKS, '\\$&')))
    .join(' ')
}
