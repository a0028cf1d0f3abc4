// Other people's text in Markdown, as the text that it is.

/** A backslash before each of these makes it itself. */
const MARKS = /[\\`*_~|>#[\]()-]/g

/** Escaped, word by word; a web address stays as it is, so that it can be followed. */
export function escapeMarkdown(text: string): string {
  return text
    .split(' ')
    .map((word) => (/^https?:\/\/[^\s<>[\]()|*`]+$/.test(word) ? word : word.replaceAll(MARKS, '\\$&')))
    .join(' ')
}
