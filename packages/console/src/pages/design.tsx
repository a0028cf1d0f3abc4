// Shows every component in both schemes, for developers of pages. Only a server on localhost shows it.

import { DomainError } from '@dogwatch/domain/errors'
import type { ComponentChildren } from 'preact'
import { STATE_NAMES, StateBadge, StateMark } from '../design/badge.tsx'
import { Button, ButtonLink } from '../design/button.tsx'
import { ICON_NAMES, Icon } from '../design/icons.tsx'
import { Card, Crumbs, EmptyState, Facts, Notice, PageHead, Stats } from '../design/layout.tsx'
import { Mark } from '../design/mark.tsx'
import { Table } from '../design/table.tsx'
import { Tabs } from '../design/tabs.tsx'
import { contrast, PAIRS, readColours, SCHEMES, type Scheme } from '../design/tokens.ts'
import { SearchLink } from '../navigation.tsx'
import { CopyBlock } from '../parts/copy.tsx'
import { Choice, Field, Tick } from '../parts/field.tsx'
import { Link } from '../rights.tsx'
import { get, type PageAnswer, type PersonContext, page, type Route } from '../route.ts'

const SIZES = ['tiny', 'small', 'body', 'large', 'title', 'display']

function designPage({ options }: PersonContext): PageAnswer {
  if (options.shows_design !== true) throw new DomainError('missing', 'this page does not exist. Check the URL')
  return page(
    'Design',
    <>
      <PageHead title="Design" actions={<Button kind="primary" text="Primary button" />}>
        Components used to build pages. See console/design/ for components and assets/styles/tokens.css for colours and
        sizes.
      </PageHead>
      <Contrasts />
      {SCHEMES.map((scheme) => (
        <div class={`swatch ${scheme}`}>
          <Samples scheme={scheme} />
        </div>
      ))}
    </>,
  )
}

function Contrasts() {
  const colours = readColours()
  const told = (scheme: Scheme, over: string, under: string) =>
    contrast(colours.get(over)?.[scheme] ?? '', colours.get(under)?.[scheme] ?? '').toFixed(1)
  return (
    <details class="part">
      <summary>Contrast ratios for {PAIRS.length} colour pairs</summary>
      <Table
        columns={['Colours', 'Minimum', 'Light', 'Dark']}
        name="Colours"
        numbers={['Minimum', 'Light', 'Dark']}
        rows={PAIRS.map(({ over, under, least }) => [
          `${over} ${under}`,
          `${over} on ${under}`,
          least,
          told('light', over, under),
          told('dark', over, under),
        ])}
      />
    </details>
  )
}

function Samples({ scheme }: { scheme: Scheme }) {
  return (
    <>
      <h2>{scheme === 'light' ? 'Light' : 'Dark'} scheme</h2>
      <Sample title="Logo and type">
        <p>
          <Mark />
        </p>
        {SIZES.map((size) => (
          <p class={`type ${size}`}>{size}: 1,024 checks on 3 monitors</p>
        ))}
      </Sample>
      <Sample title="States">
        <div class="actions">
          {STATE_NAMES.map((state) => (
            <StateBadge state={state} />
          ))}
        </div>
        <p>
          In a sentence: <StateMark state="down" /> for 12 min. <span class="tag">shop</span>
        </p>
      </Sample>
      <Sample title="Buttons">
        <div class="actions">
          <Button type="button" icon="plus" text="Secondary" />
          <Button type="button" kind="quiet" text="Quiet" />
          <Button type="button" kind="danger" icon="trash-2" text="Delete check" />
          <Button type="button" disabled text="Disabled" />
          <ButtonLink href="/design" text="A link" />
        </div>
      </Sample>
      <Parts scheme={scheme} />
      <Inputs scheme={scheme} />
    </>
  )
}

function Parts({ scheme }: { scheme: Scheme }) {
  return (
    <>
      <Sample title="Notices">
        <Notice tone="good">Check saved.</Notice>
        <Notice>Quiet hours: alerts are held until 07:00.</Notice>
        <Notice tone="warn">Certificate expires in 6 days.</Notice>
        <Notice tone="bad">“Name” is required.</Notice>
      </Sample>
      <Card title="A card" label={`A card, ${scheme}`} actions={<Link href="/design">All</Link>}>
        <Facts
          facts={[
            ['Interval', '30 s'],
            ['Last run', '12 s ago'],
          ]}
        />
      </Card>
      <Card title="Down" label={`Down, ${scheme}`} tone="bad">
        <p>Connection refused from 2 of 3 monitors: fra-1, sgp-1</p>
      </Card>
      <Stats
        stats={[
          { label: 'Down', value: 3, tone: 'bad' },
          { label: 'Up', value: 1021, tone: 'good' },
          { label: 'Uptime', value: '99.98%', hint: 'over 29 d 3 h' },
        ]}
      />
      <Sample title="Crumbs">
        <Crumbs
          label={`Crumbs, ${scheme}`}
          crumbs={[
            { href: '/incidents', label: 'Incidents' },
            { href: '/checks', label: 'api.example.com' },
          ]}
        />
      </Sample>
      <Sample title="Dialog and palette">
        <p class="hint">Links with opensDialog open a form in a dialog. Search opens the command palette.</p>
        <div class="actions">
          <ButtonLink kind="danger" href="/settings/leave" opensDialog text="Leave…" />
          <SearchLink />
        </div>
      </Sample>
      <Tabs
        label={`Tabs, ${scheme}`}
        pages={[
          { href: '/design', label: 'Overview' },
          { href: '/checks', label: 'Results' },
        ]}
        at="/design"
      />
      <Table
        caption="Table (shown as cards on small screens)"
        columns={['Name', 'State', 'Latency']}
        name="Name"
        numbers={['Latency']}
        rows={[
          [1, <Link href="/design">shop</Link>, <StateMark state="up" />, '31 ms'],
          [2, <Link href="/design">api</Link>, <StateMark state="down" />, '–'],
        ]}
      />
    </>
  )
}

function Inputs({ scheme }: { scheme: Scheme }) {
  return (
    <>
      <Sample title="Fields">
        <Field name={`name-${scheme}`} label="Name" value="shop" hint="Shown in alerts." />
        <Choice
          name={`kind-${scheme}`}
          label="Kind"
          value="https"
          options={[
            ['https', 'HTTPS'],
            ['tcp', 'TCP'],
          ]}
        />
        <Tick
          name={`on-${scheme}`}
          label="Enabled"
          checked
          hint="Turn off to pause the check. A paused check does not run or send alerts."
        />
      </Sample>
      <CopyBlock id={`copy-${scheme}`} label="Command" text="dogwatch-agent run" />
      <EmptyState icon="list-checks" title="No checks yet" action={<ButtonLink href="/design" text="Create check" />}>
        A check watches a website, port or certificate.
      </EmptyState>
      <Sample title="Icons">
        <div class="actions">
          {ICON_NAMES.map((name) => (
            <Icon name={name} />
          ))}
        </div>
      </Sample>
    </>
  )
}

function Sample({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

export const DESIGN_ROUTES: readonly Route[] = [get('/design', 'person', designPage)]
