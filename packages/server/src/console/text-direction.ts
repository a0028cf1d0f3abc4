// Keeps names and errors that others wrote from turning round the text after them on a page.
import { type ComponentChildren, Fragment, options, type VNode } from 'preact'

/** Characters that change the direction of what follows until another ends it. Marks for one place are not among them. */
const OPEN_ENDED = /[\u202A-\u202E\u2066-\u2069]/g

const before = options.vnode
options.vnode = (vnode) => {
  straighten(vnode)
  before?.(vnode)
}

/** What is typed stays as it is: a textarea sends its text back. */
function straighten({ type, props }: VNode<{ children?: ComponentChildren }>): void {
  if ((typeof type === 'string' && type !== 'textarea') || type === Fragment) props.children = straight(props.children)
}

function straight(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return children.replaceAll(OPEN_ENDED, '')
  return Array.isArray(children) ? children.map(straight) : children
}
