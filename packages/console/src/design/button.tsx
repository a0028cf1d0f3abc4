// Renders buttons. A page has at most one primary button, for the action that most people come for.
import type { ComponentChildren } from 'preact'
import { Link } from '../rights.tsx'
import { Icon, type IconName } from './icons.tsx'

type ButtonKind = 'primary' | 'secondary' | 'quiet' | 'danger'

interface Look {
  /** Default: secondary. */
  kind?: ButtonKind
  icon?: IconName
  text: string
}

export interface ButtonProps extends Look {
  type?: 'submit' | 'button'
  name?: string
  value?: string
  form?: string
  /** Label for screen readers, if the text alone does not say what the button is about: "Remove bob@example.com". */
  label?: string | undefined
  /** Question to ask before the form is sent. Needs scripts. */
  confirm?: string | undefined
  disabled?: boolean
  /** Content after the text. */
  children?: ComponentChildren
}

export function Button(props: ButtonProps) {
  const { kind, icon, text, children, label, confirm, type = 'submit', ...rest } = props
  return (
    <button type={type} class={classOf(kind)} aria-label={label} data-confirm={confirm} {...rest}>
      {icon === undefined ? null : <Icon name={icon} />}
      {text}
      {children}
    </button>
  )
}

interface ButtonLinkProps extends Look {
  href: string
  label?: string | undefined
  /** Whether scripts open the page in a dialog. It must be a short page with a form. */
  opensDialog?: boolean
}

/** Renders a link that looks like a button. */
export function ButtonLink({ kind, icon, text, href, label, opensDialog }: ButtonLinkProps) {
  return (
    <Link
      class={['button', classOf(kind)].filter((name) => name !== undefined).join(' ')}
      href={href}
      aria-label={label}
      data-dialog={opensDialog === true ? '' : undefined}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {text}
    </Link>
  )
}

function classOf(kind: ButtonKind = 'secondary'): string | undefined {
  return kind === 'secondary' ? undefined : kind
}
