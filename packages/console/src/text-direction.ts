// Keeps names and errors that others wrote from reversing the text after them on a page.
import { type ComponentChildren, Fragment, options, type VNode } from 'preact'

/**
 * Characters that change the direction of the text after them until another character ends it. Marks for a single place are
 * excluded.
 */
const OPEN_ENDED = /[\u202A-\u202E\u2066-\u2069]/g

const before = options.vnode
options.vnode = (vnode) => {
  straighten(vnode)
  before?.(vnode)
}

/** Removes {@link OPEN_ENDED} characters from an element's text. A textarea keeps them, because it sends its text back. */
function straighten({ type, props }: VNode<{ children?: ComponentChildren }>): void {
  if ((typeof type === 'string' && type !== 'textarea') || type === Fragment) props.children = straight(props.children)
}

function straight(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return children.replaceAll(OPEN_ENDED, '')
  return Array.isArray(children) ? children.map(straight) : children
}
