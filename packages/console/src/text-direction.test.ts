// No text on a page changes the direction of the text after it.
import { expect, test } from '@jest/globals'
import { Fragment, h } from 'preact'
import { render } from 'preact-render-to-string'
import './text-direction.ts'

const FLIPPED = '\u202Eshop\u2067'

test('bidirectional controls are not drawn, wherever a text stands', () => {
  const page = h('p', null, FLIPPED, [' and ', [FLIPPED]], h(Fragment, null, FLIPPED), ' is down')
  expect(render(page)).toBe('<p>shop and shopshop is down</p>')
})

test('what a form sends back stays as it is, and marks of direction are drawn', () => {
  const form = h('p', null, h('textarea', null, FLIPPED), h('input', { value: FLIPPED }), 'a\u200Fb')
  expect(render(form)).toBe(`<p><textarea>${FLIPPED}</textarea><input value="${FLIPPED}"/>a\u200Fb</p>`)
})
