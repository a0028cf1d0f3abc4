// The frame around every page: head, navigation and notices, and the component for forms.
import { createContext, type VNode } from 'preact'
import { useContext } from 'preact/hooks'
import type { Viewer } from '../domain/people/sessions.ts'
import { SCRIPT_PATH, STYLE_PATH } from './assets.ts'

export interface FrameProps {
  viewer: Viewer | undefined
  notice: string
  csrf: string
  path: string
  title: string
  body: VNode
}

const Csrf = createContext('')

/** A form with its CSRF token. Every form of the console is one. */
export function PostForm(props: { action: string; class?: string; id?: string; children: unknown }): VNode {
  const csrf = useContext(Csrf)
  const { children, ...rest } = props
  return (
    <form method="post" {...rest}>
      <input type="hidden" name="csrf" value={csrf} />
      {children as VNode}
    </form>
  )
}

const SECTIONS = [
  ['/checks', 'Checks'],
  ['/heartbeats', 'Heartbeats'],
  ['/monitors', 'Monitors'],
  ['/channels', 'Alerting'],
  ['/settings', 'Settings'],
] as const

export function frame({ viewer, notice, csrf, path, title, body }: FrameProps): VNode {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${title} · Dogwatch`}</title>
        <link rel="stylesheet" href={STYLE_PATH} />
        <script src={SCRIPT_PATH} defer />
      </head>
      <body>
        <Csrf.Provider value={csrf}>
          <a class="skip" href="#main">
            Skip to the content
          </a>
          {viewer?.impersonator_email ? <ImpersonationBanner viewer={viewer} /> : null}
          <header class="top">
            <a class="brand" href="/">
              Dogwatch
            </a>
            {viewer ? <Navigation viewer={viewer} path={path} /> : null}
          </header>
          {viewer?.org?.is_unheard && !viewer.org.suspended ? <UnheardBanner name={viewer.org.name} /> : null}
          <main id="main">
            {notice === '' ? null : (
              <p class="notice" role="status">
                {notice}
              </p>
            )}
            {body}
          </main>
        </Csrf.Provider>
      </body>
    </html>
  )
}

function Navigation({ viewer, path }: { viewer: Viewer; path: string }): VNode {
  return (
    <>
      {viewer.org ? (
        <nav aria-label="Sections">
          <ul>
            {SECTIONS.map(([href, label]) => (
              <li key={href}>
                <a href={href} aria-current={path === href || path.startsWith(`${href}/`) ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
      <div class="who">
        {viewer.is_admin && viewer.impersonator_id === null ? <a href="/admin">Admin</a> : null}
        <a href="/organisations">{viewer.org?.name ?? 'Organisations'}</a>
        <a href="/account">{viewer.email}</a>
        <PostForm action="/sign-out" class="inline">
          <button type="submit" class="quiet">
            Sign out
          </button>
        </PostForm>
      </div>
    </>
  )
}

/** On every page: the alert that was due reached nobody. */
function UnheardBanner({ name }: { name: string }): VNode {
  return (
    <div class="banner unheard" role="alert">
      <p>
        <strong>Something is down, and nobody was told:</strong> {name} has no channel that is enabled.{' '}
        <a href="/channels">Add a channel</a>
      </p>
    </div>
  )
}

function ImpersonationBanner({ viewer }: { viewer: Viewer }): VNode {
  return (
    <div class="banner" role="alert">
      <p>
        You, {viewer.impersonator_email}, see what {viewer.email} sees. What you do is written down in their audit log.
      </p>
      <PostForm action="/sign-out" class="inline">
        <button type="submit">Stop</button>
      </PostForm>
    </div>
  )
}
