// Renders the frame around every page: head, banners, notices and navigation.

import type { ViewedOrg, Viewer } from '@dogwatch/domain/people/sessions'
import type { VNode } from 'preact'
import { ICON_PATHS, SCRIPT_PATH, STYLE_PATH } from './assets.ts'
import type { MarkTone } from './design/mark.tsx'
import { Brand, countText, Menu, QuickBar, SearchLink } from './navigation.tsx'
import { Fault } from './parts/field.tsx'
import { NowContext, TimesContext, ZoneNote } from './parts/time.tsx'
import { Csrf, PostButton } from './post-form.tsx'
import { Link } from './rights.tsx'
import type { Times } from './times.ts'

interface FrameProps {
  viewer: Viewer | undefined
  notice: string
  /** Refusal of a form that the page does not contain, so that the frame shows the refusal. */
  fault: string | undefined
  csrf: string
  path: string
  title: string
  body: VNode
  /** How the viewer reads times. */
  times: Times
  now: Date
  /** Whether the page shows changes without a reload. */
  isLive: boolean
}

export function frame(props: FrameProps) {
  const { viewer, notice, fault, csrf, path, title, body, times, now } = props
  const org = viewer?.org
  const isLive = props.isLive && org !== undefined && !org.suspended
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <title>{titleOf(title, org)}</title>
        {isLive ? <meta name="live" content={org.newest_change} data-org={org.org_id} /> : null}
        <meta name="now" content={now.toISOString()} />
        <link rel="icon" href={ICON_PATHS[toneOf(org)]} type="image/svg+xml" />
        <link rel="stylesheet" href={STYLE_PATH} />
        <script src={SCRIPT_PATH} defer />
      </head>
      <body class={viewer ? 'framed' : 'guest'}>
        <Csrf.Provider value={csrf}>
          <TimesContext.Provider value={times}>
            <Link class="skip" href="#main">
              Skip to content
            </Link>
            {viewer ? <Menu viewer={viewer} path={path} /> : null}
            <div>
              {viewer?.impersonator_email ? (
                <div class="banner" role="alert">
                  <p>
                    {viewer.impersonator_email}, you are logged in as {viewer.email}. Your actions are recorded in the
                    audit log.
                  </p>
                  <PostButton action="/sign-out" text="Stop impersonating" />
                </div>
              ) : null}
              <header class="top">
                <Brand />
                {org ? <SearchLink /> : null}
              </header>
              <div data-live="banner">
                {org?.is_unheard && !org.suspended ? <UnheardBanner name={org.name} /> : null}
              </div>
              {isLive ? <LostBanner times={times} /> : null}
              <main id="main" data-live="main">
                {notice === '' ? null : (
                  <p class="notice" role="status" data-live-keep>
                    {notice}
                  </p>
                )}
                <Fault line={fault} />
                <NowContext.Provider value={now}>{body}</NowContext.Provider>
              </main>
              {viewer ? (
                <ZoneNote isChosen={viewer.time_zone !== null} mayChange={viewer.impersonator_id === null} />
              ) : null}
            </div>
            {org ? <QuickBar path={path} /> : null}
          </TimesContext.Provider>
        </Csrf.Provider>
      </body>
    </html>
  )
}

/** Returns the title of the browser tab, such as `(3) Down · Checks · Dogwatch`, which shows the state even among many tabs. */
function titleOf(title: string, org: ViewedOrg | undefined): string {
  const down = org?.down ?? 0
  return `${down === 0 ? '' : `(${countText(down)}) Down · `}${title} · Dogwatch`
}

function toneOf(org: ViewedOrg | undefined): MarkTone {
  if (!org) return 'plain'
  return org.down > 0 ? 'down' : org.is_unwatched ? 'warn' : 'up'
}

/** Renders a banner on every page after an alert that was due reached no one. */
function UnheardBanner({ name }: { name: string }) {
  return (
    <div class="banner unheard" role="alert">
      <p>
        <strong>No one was notified of an outage.</strong> {name} has no enabled channels.{' '}
        <Link href="/channels">Set up a channel</Link>
      </p>
    </div>
  )
}

/**
 * Renders an empty banner, which a script fills if a live page loses its connection. The attributes contain the data for the
 * script.
 */
function LostBanner({ times: { zone, hours } }: { times: Times }) {
  return (
    <div class="banner lost" id="lost" role="status" data-zone={zone} data-hours={hours} data-icon={ICON_PATHS.plain} />
  )
}
