// Renders the tabs of the Admin pages, and the search on top of each.
import { Button } from '../design/button.tsx'
import { Tabs } from '../design/tabs.tsx'
import { SearchForm } from '../rights.tsx'

const PAGES = [
  { href: '/admin', label: 'Organisations' },
  { href: '/admin/people', label: 'People' },
  { href: '/admin/fleet', label: 'Shared fleet' },
] as const

export function AdminNav({ at }: { at: (typeof PAGES)[number]['href'] }) {
  return <Tabs label="Admin" pages={PAGES} at={at} />
}

export function Search({ action, label, text }: { action: string; label: string; text: string }) {
  return (
    <SearchForm action={action} class="narrow" role="search">
      <div class="field">
        <label for="search">{label}</label>
        <input id="search" name="q" type="search" value={text} />
      </div>
      <Button icon="search" text="Search" />
    </SearchForm>
  )
}
