// Renders the navigation: a menu beside the page, and on phones a bar at the bottom that opens the menu.
import type { ViewedOrg, Viewer } from '@dogwatch/domain/people/sessions'
import { Icon, type IconName } from './design/icons.tsx'
import { Mark } from './design/mark.tsx'
import { PostForm } from './post-form.tsx'
import { Link, useMay } from './rights.tsx'

interface Section {
  href: string
  label: string
  icon: IconName
  /** Whether the section is also in the bar of phones. */
  isQuick?: true
}

export const SECTIONS: readonly Section[] = [
  { href: '/', label: 'Overview', icon: 'layout-dashboard', isQuick: true },
  { href: '/incidents', label: 'Incidents', icon: 'siren', isQuick: true },
  { href: '/checks', label: 'Checks', icon: 'list-checks', isQuick: true },
  { href: '/heartbeats', label: 'Heartbeats', icon: 'heart-pulse' },
  { href: '/monitors', label: 'Monitors', icon: 'radar' },
  { href: '/channels', label: 'Alerting', icon: 'bell' },
  { href: '/settings/status-page', label: 'Status page', icon: 'globe' },
  { href: '/settings', label: 'Settings', icon: 'settings' },
]

/** Maximum number of other organisations in the menu. A page lists them all. */
const MOST_ORGS = 8
/** Highest number of open incidents that is shown exactly. */
const MOST_DOWN = 99

export function Brand() {
  return (
    <Link class="brand" href="/">
      <Mark />
      Dogwatch
    </Link>
  )
}

export function countText(down: number): string {
  return down > MOST_DOWN ? `${MOST_DOWN}+` : String(down)
}

export function Menu({ viewer, path }: { viewer: Viewer; path: string }) {
  const { org } = viewer
  return (
    <aside class="side" id="menu" aria-label="Menu">
      <Brand />
      {org ? <Organisations viewer={viewer} org={org} /> : null}
      {org ? <SearchLink /> : null}
      {org ? <Sections org={org} path={path} /> : null}
      <div class="person">
        <ul>
          {viewer.org ? null : (
            <li>
              <Link href="/organisations">
                <Icon name="building-2" />
                Organisations
              </Link>
            </li>
          )}
          {viewer.is_admin && viewer.impersonator_id === null ? (
            <li>
              <Link href="/admin">
                <Icon name="shield" />
                Admin
              </Link>
            </li>
          ) : null}
          <li>
            <Link href="/account">
              <Icon name="user" />
              {viewer.email}
            </Link>
          </li>
          <li>
            <PostForm action="/sign-out">
              <button type="submit">
                <Icon name="log-out" />
                Sign out
              </button>
            </PostForm>
          </li>
        </ul>
        <Link class="button close" href="#main">
          Close menu
        </Link>
      </div>
    </aside>
  )
}

/** Renders a link that opens the search as a page, or with scripts as a palette over the page. */
export function SearchLink() {
  return (
    <Link class="seek" href="/search" data-palette>
      <Icon name="search" />
      Search
      <kbd hidden>Ctrl K</kbd>
    </Link>
  )
}

function Sections({ org, path }: { org: ViewedOrg; path: string }) {
  const at = currentOf(path)
  const may = useMay()
  return (
    <nav aria-label="Sections" data-live="sections">
      <ul>
        {SECTIONS.filter(({ href }) => may('GET', href)).map(({ href, label, icon }) => (
          <li>
            <Link href={href} aria-current={href === at ? 'page' : undefined}>
              <Icon name={icon} />
              {label}
              {href === '/' && org.down > 0 ? (
                <span class="count">
                  {countText(org.down)}
                  <span class="heard"> down</span>
                </span>
              ) : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Returns the path of the section that contains the page. The longest path wins. */
function currentOf(path: string): string | undefined {
  const isIn = (href: string) => path === href || (href !== '/' && path.startsWith(`${href}/`))
  const found = SECTIONS.filter(({ href }) => isIn(href)).toSorted((a, b) => b.href.length - a.href.length)
  return found[0]?.href
}

function Organisations({ viewer, org }: { viewer: Viewer; org: ViewedOrg }) {
  const others = viewer.orgs.filter(({ org_id }) => org_id !== org.org_id)
  return (
    <details class="orgs">
      <summary aria-label={`Organisation: ${org.name}`}>
        <Icon name="building-2" />
        {org.name}
        <Icon name="chevrons-up-down" />
      </summary>
      <ul>
        {others.slice(0, MOST_ORGS).map(({ org_id, name }) => (
          <li>
            <PostForm action="/organisations/switch" hidden={{ org_id }}>
              <button type="submit">{name}</button>
            </PostForm>
          </li>
        ))}
        <li>
          <Link href="/organisations">All organisations</Link>
        </li>
      </ul>
    </details>
  )
}

/** Renders the bar of phones, within reach of the thumb: the main sections and the menu. */
export function QuickBar({ path }: { path: string }) {
  const at = currentOf(path)
  return (
    <nav class="quick" aria-label="Main sections">
      <ul>
        {SECTIONS.filter(({ isQuick }) => isQuick).map(({ href, label, icon }) => (
          <li>
            <Link href={href} aria-current={href === at ? 'page' : undefined}>
              <Icon name={icon} />
              {label}
            </Link>
          </li>
        ))}
        <li>
          <Link href="#menu">
            <Icon name="menu" />
            Menu
          </Link>
        </li>
      </ul>
    </nav>
  )
}
