// Organisations whose templates take as long as a template may on real events, beside a tenant whose own template is small: its alerts must
// arrive within five seconds.
import { setTimeout as pause } from 'node:timers/promises'
import { createChannel } from '../../../packages/server/dist/domain/channels/edit.js'
import { createOrganisation } from '../../../packages/server/dist/domain/organisations/organisation.js'
import type { Lab, Story } from './lab.ts'
import { listen, median, tell, victim } from './receivers.ts'

const ATTACKERS = 12
const WITHIN_MS = 5_000
const ALERT_EVERY_MS = 1_000
/** Looks for a property of each of 500 checks, as often as the bounds of a template allow. The samples with which it is tried have few. */
const DEAR =
  '{% if data.checks.size > 100 %}{% for i in (1..390) %}{% assign a = data.checks | where: "name.first.size", "x" %}{% endfor %}{% endif %}ok'
const SMALL = '{"data": {% if data.check %}{"check": {"name": {{ data.check.name | json }}}}{% else %}{}{% endif %}}'
const CHECKS = Array.from({ length: 500 }, (_, n) => ({
  guid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  name: `check ${n} `.repeat(10),
}))

let faults: string[] = []

export const templates: Story = {
  name: 'templates',
  faults: () => faults,
  run: async (lab) => {
    faults = []
    const attackers = await attack(lab)
    const honest = await victim(lab, 'brief', '127.77.1.2', (template_url) => ({
      kind: 'webhook-template',
      name: 'hook',
      template_url,
      template_body: SMALL,
    }))
    for (let n = 0; n < (lab.seconds * 1000) / ALERT_EVERY_MS; n++) {
      await attackers.alert(n)
      await honest.alert(n)
      await pause(ALERT_EVERY_MS)
    }
    await pause(2 * WITHIN_MS)
    const { came_ms, missing } = honest.tell()
    const worst = Math.max(...came_ms)
    if (missing > 0) faults.push(`templates: ${missing} honest alerts did not arrive`)
    if (worst > WITHIN_MS) faults.push(`templates: an honest alert took ${worst.toFixed(0)} ms`)
    return [
      `${came_ms.length} honest alerts by a template arrived, the slowest after ${worst.toFixed(0)} ms, half within ${median(came_ms).toFixed(0)} ms`,
      `${attackers.received()} of the alerts of ${ATTACKERS} organisations with dear templates were sent by then`,
    ]
  },
}

async function attack({ deps, undo }: Lab) {
  let received = 0
  const template_url = await listen('127.77.2.2', undo, () => {
    received++
    return Promise.resolve(204)
  })
  const orgs: number[] = []
  for (let n = 0; n < ATTACKERS; n++) {
    const wanted = { name: `dear ${n}`, plan: 'team', owner_email: `dear-${n}@example.com` }
    const { org_id } = await createOrganisation(deps, wanted)
    const headers = { template_headers: 'content-type: text/plain' }
    const channel = { kind: 'webhook-template', name: 'hook', template_url, template_body: DEAR, ...headers } as const
    await createChannel(deps, org_id, channel)
    orgs.push(org_id)
  }
  return {
    alert: async (n: number) => {
      for (const org_id of orgs) await tell(deps, org_id, `dear ${n}`, { checks: CHECKS })
    },
    received: () => received,
  }
}
