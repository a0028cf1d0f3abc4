// Draws the logo: the head of a dog that pricks its ears, and a pulse across the head. The logo is made for 16 px and up.

/** Colours of the logo in a browser tab. They show the state of the organisation. */
export const MARK_TONES = ['plain', 'up', 'down', 'warn'] as const
export type MarkTone = (typeof MARK_TONES)[number]

const HEAD = 'M4 3.5 11 7.5h10l7-4V16l-4.5 8.5L18 29h-4l-4.5-4.5L4 16Z'
const PULSE = 'M6.5 16.5h5L14 11.5l4 9.5 2.5-4.5h5'

/** Colours for light and dark tabs alike. They are not tokens of the stylesheet, because a browser tab knows no stylesheet. */
const COLOURS: Readonly<Record<MarkTone, string>> = {
  plain: '#525fdc',
  up: '#1f9254',
  down: '#d63a31',
  warn: '#c77700',
}

export function Mark() {
  return <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" dangerouslySetInnerHTML={{ __html: drawn() }} />
}

/** Returns the logo as an SVG file. */
export function markFile(tone: MarkTone): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" color="${COLOURS[tone]}">${drawn()}</svg>`
}

function drawn(): string {
  const round = 'stroke-linejoin="round" stroke-linecap="round"'
  return (
    `<path d="${HEAD}" fill="currentColor" stroke="currentColor" stroke-width="3" ${round}/>` +
    `<path d="${PULSE}" fill="none" stroke="#fff" stroke-width="2.5" ${round}/>`
  )
}
