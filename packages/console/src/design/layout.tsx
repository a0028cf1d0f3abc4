// Renders the building blocks of pages: heads, cards, lists of facts, empty states.
import type { ComponentChildren } from 'preact'
import { Link } from '../rights.tsx'
import type { Tone } from './badge.tsx'
import { Icon, type IconName } from './icons.tsx'

export interface NamedLink {
  href: string
  label: string
}

/** Renders links to the pages above the current one, from the section down. The current page is not repeated. */
export function Crumbs({ crumbs, label = 'Breadcrumb' }: { crumbs: readonly NamedLink[]; label?: string }) {
  return (
    <nav class="crumbs" aria-label={label}>
      <ol>
        {crumbs.map(({ href, label }, n) => (
          <li>
            <Link href={href}>{label}</Link>
            {n < crumbs.length - 1 ? <Icon name="chevron-right" /> : null}
          </li>
        ))}
      </ol>
    </nav>
  )
}

interface PageHeadProps {
  title: string
  crumbs?: readonly NamedLink[]
  /** Badge with the state of the page's subject. */
  state?: ComponentChildren
  /** Buttons and links. Forms among them are inline. */
  actions?: ComponentChildren
  /** One or two sentences that say what the page is for. */
  children?: ComponentChildren
}

/** Renders the head of a page, with its only h1. */
export function PageHead({ title, crumbs, state, actions, children }: PageHeadProps) {
  return (
    <>
      {crumbs === undefined ? null : <Crumbs crumbs={crumbs} />}
      <div class="page-head">
        <div>
          <h1>{title}</h1>
          {state}
        </div>
        {actions === undefined || actions === null ? null : <div class="actions">{actions}</div>}
        {children === undefined ? null : <p>{children}</p>}
      </div>
    </>
  )
}

interface CardProps {
  /** Text of the h2. A card without a title needs a label. */
  title?: string
  label?: string
  actions?: ComponentChildren
  tone?: Exclude<Tone, 'idle'> | undefined
  /** Name of the card among the parts of the page that refresh themselves. */
  live?: string
  children: ComponentChildren
}

export function Card({ title, label, actions, tone, live, children }: CardProps) {
  const hasHead = title !== undefined || actions !== undefined
  return (
    <section class={tone === undefined ? 'card' : `card ${tone}`} aria-label={label ?? title} data-live={live}>
      {hasHead ? (
        <header>
          {title === undefined ? null : <h2>{title}</h2>}
          {actions === undefined ? null : <div class="actions">{actions}</div>}
        </header>
      ) : null}
      {children}
    </section>
  )
}

interface EmptyStateProps {
  icon?: IconName
  title: string
  /** Text that says what the missing content is good for, and how to get it. */
  children?: ComponentChildren
  action?: ComponentChildren
}

export function EmptyState({ icon = 'circle-dashed', title, children, action }: EmptyStateProps) {
  return (
    <div class="empty drawn">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children === undefined ? null : <p>{children}</p>}
      {action}
    </div>
  )
}

interface NoticeProps {
  tone?: 'good' | 'info' | 'warn' | 'bad'
  children: ComponentChildren
}

/** Renders a line about an event or a fact. The tone `bad` makes screen readers announce it at once. */
export function Notice({ tone = 'info', children }: NoticeProps) {
  if (tone === 'bad')
    return (
      <div class="fault" role="alert">
        {children}
      </div>
    )
  return <div class={tone === 'good' ? 'notice' : `notice ${tone}`}>{children}</div>
}

export type Fact = readonly [term: string, value: ComponentChildren]

/** Renders terms and their values in columns. */
export function Facts({ facts }: { facts: readonly (Fact | undefined)[] }) {
  return (
    <dl class="facts grid">
      {facts.map((fact) =>
        fact === undefined ? null : (
          <div>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
      )}
    </dl>
  )
}

export interface StatProps {
  label: string
  value: ComponentChildren
  hint?: string
  tone?: Tone
  href?: string
}

/** Renders large figures with their labels. */
export function Stats({ stats }: { stats: readonly StatProps[] }) {
  return (
    <dl class="stats">
      {stats.map(({ label, value, hint, tone, href }) => (
        <div class="stat">
          <dt>{href === undefined ? label : <Link href={href}>{label}</Link>}</dt>
          <dd class={tone}>{value}</dd>
          {hint === undefined ? null : <dd>{hint}</dd>}
        </div>
      ))}
    </dl>
  )
}
