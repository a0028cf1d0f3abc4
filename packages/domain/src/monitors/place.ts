// Validates a monitor's name and location.
import type { MonitorPlace } from '@dogwatch/store/monitors/monitors'
import { requireName } from '../text.ts'

export type { MonitorPlace }

/** Refuses a name or location that no monitor may enroll with. */
export function requirePlace({ name, region, country, city }: MonitorPlace): MonitorPlace {
  return {
    name: requireName('name', name, { mayBeBlank: true }),
    region: requireName('region', region),
    country: requireName('country', country),
    city: requireName('city', city),
  }
}
