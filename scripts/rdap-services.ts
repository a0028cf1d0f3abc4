// Refreshes the shipped list of RDAP services from IANA: one line for each registry, in a stable order.
// Run it as `node scripts/run.js rdap-services`, and commit the changed file.
import { writeFileSync } from 'node:fs'

const SOURCE = 'https://data.iana.org/rdap/dns.json'
const FILE = new URL('../packages/channels/assets/rdap.json', import.meta.url)

interface Bootstrap {
  publication: string
  services: [tlds: string[], urls: string[]][]
}

const response = await fetch(SOURCE)
if (!response.ok) throw new Error(`${SOURCE} responded with HTTP ${response.status}`)
const { publication, services } = (await response.json()) as Bootstrap
const byUrl = new Map<string, string[]>()
for (const [tlds, urls] of services) {
  const url = urls.find((one) => one.startsWith('https:')) ?? urls[0]
  if (url !== undefined) byUrl.set(url, [...(byUrl.get(url) ?? []), ...tlds])
}
const lines = [...byUrl]
  .toSorted(([a], [b]) => (a < b ? -1 : 1))
  .map(([url, tlds]) => JSON.stringify([tlds.toSorted(), [url]]))
writeFileSync(FILE, `{"publication":${JSON.stringify(publication)},"services":[\n${lines.join(',\n')}\n]}\n`)
process.stdout.write(`wrote ${lines.length} services, as published on ${publication}\n`)
