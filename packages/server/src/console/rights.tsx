// Removes links and forms that would be refused: whatever a page draws, its links and forms check the viewer's rights here.
import { type ComponentChild, type ComponentChildren, createContext, h, options, type VNode } from 'preact'
import { useContext } from 'preact/hooks'

/** Whether the viewer may use a path of ours. */
export type May = (method: 'GET' | 'POST', path: string) => boolean

/**
 * Rights of the viewer. Without a provider, everything is shown, as on pages for strangers and in tests that draw single parts.
 */
export const Rights = createContext<May>(() => true)

/** Returns the rights of the viewer, for parts of a page that depend on more than a link or a form. */
export function useMay(): May {
  return useContext(Rights)
}

type Props = Record<string, unknown> & { children?: ComponentChildren }

function Link(props: Props): ComponentChild {
  const may = useMay()
  if (may('GET', String(props.href))) return asIs('a', props)
  // In a sentence, its words stay.
  return typeof props.class === 'string' ? null : h('span', null, props.children)
}

function Form(props: Props): ComponentChild {
  const method = props.method === 'post' ? 'POST' : 'GET'
  return useMay()(method, String(props.action)) ? asIs('form', props) : null
}

function Button(props: Props): ComponentChild {
  return useMay()('POST', String(props.formaction)) ? asIs('button', props) : null
}

function asIs(type: string, props: Props): ComponentChild {
  const marked: Props = { ...props, 'data-may': true }
  return h(type, marked)
}

const isOurs = (path: unknown): path is string =>
  typeof path === 'string' && path.startsWith('/') && !path.startsWith('//')

const before = options.vnode
options.vnode = (vnode) => {
  guard(vnode)
  before?.(vnode)
}

function guard(vnode: VNode<Props>): void {
  const { type, props } = vnode
  if (type !== 'a' && type !== 'form' && type !== 'button') return
  if (props['data-may'] === true) {
    // The right was already checked. The mark itself is not drawn.
    delete props['data-may']
    return
  }
  if (type === 'a' && isOurs(props.href)) vnode.type = Link as VNode<Props>['type']
  if (type === 'form' && isOurs(props.action)) vnode.type = Form as VNode<Props>['type']
  if (type === 'button' && isOurs(props.formaction)) vnode.type = Button as VNode<Props>['type']
}
