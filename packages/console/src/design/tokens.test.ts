// The colours can be read, in either scheme, and stylesheets have no others.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { contrast, PAIRS, readColours, SCHEMES } from './tokens.ts'

const STYLES = new URL('../../assets/styles/', import.meta.url)
const colours = readColours()

test('contrast is computed as WCAG does', () => {
  expect([contrast('#000000', '#ffffff'), contrast('#777777', '#ffffff').toFixed(2)]).toEqual([21, '4.48'])
})

test('text has a contrast of at least 4.5, borders of controls at least 3', () => {
  expect(colours.size).toBeGreaterThan(20)
  const measured = PAIRS.flatMap(({ over, under, least }) =>
    SCHEMES.map((scheme) => {
      const found = contrast(colours.get(over)?.[scheme] ?? '', colours.get(under)?.[scheme] ?? '')
      return { pair: `${over} on ${under}, ${scheme}`, least, found: Math.floor(found * 100) / 100 }
    }),
  )
  expect(measured.filter(({ least, found }) => !(found >= least))).toEqual([])
})

test('every colour is a token', () => {
  const others = readdirSync(STYLES).filter((name) => name !== 'tokens.css')
  const found = others.flatMap((name) =>
    Array.from(readFileSync(new URL(name, STYLES), 'utf8').matchAll(/#[0-9a-f]{3,8}\b(?=[; ,)])/gi), ([hex]) => [
      name,
      hex,
    ]),
  )
  expect(found).toEqual([])
})

test('every token that a stylesheet uses is there', () => {
  const text = readdirSync(STYLES)
    .map((name) => readFileSync(new URL(name, STYLES), 'utf8'))
    .join('\n')
  const made = new Set(Array.from(text.matchAll(/^\s+(--[a-z0-9-]+):/gm), ([, name]) => name))
  const used = new Set(Array.from(text.matchAll(/var\((--[a-z0-9-]+)/g), ([, name]) => name))
  expect([...used].filter((name) => !made.has(name))).toEqual([])
})
