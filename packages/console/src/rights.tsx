// Shows no link and no form that would be refused: the components here ask first whether the viewer may use the path.
import { type AnchorHTMLAttributes, type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'

/** Tells whether the viewer may use a path of the console. */
export type May = (method: 'GET' | 'POST', path: string) => boolean

/** Rights of the viewer. Without a provider, everything is shown, as on pages without a sign-in. */
export const Rights = createContext<May>(() => true)

/** Returns the rights of the viewer, for parts that are more than a link or a form. */
export function useMay(): May {
  return useContext(Rights)
}

type LinkProps = AnchorHTMLAttributes & { href: string; [data: `data-${string}`]: unknown }

/** Draws a link. If the viewer may not follow it, draws the text of the link instead, or nothing if the link has a class. */
export function Link({ children, ...rest }: LinkProps) {
  const may = useMay()
  if (!isOurs(rest.href) || may('GET', rest.href)) return <a {...rest}>{children}</a>
  return rest.class === undefined ? <span>{children}</span> : null
}

interface SearchFormProps {
  action: string
  children?: ComponentChildren
  class?: string
  id?: string
  role?: 'search'
  'aria-label'?: string
}

/** Draws a form that asks for a page. Draws nothing if the viewer may not open the page. */
export function SearchForm({ children, ...rest }: SearchFormProps) {
  if (!useMay()('GET', rest.action)) return null
  return (
    <form method="get" {...rest}>
      {children}
    </form>
  )
}

/** Whether a link leads to a page of the console. */
function isOurs(href: string): boolean {
  return href.startsWith('/') && !href.startsWith('//')
}
