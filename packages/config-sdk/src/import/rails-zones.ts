// Time zones as Rails names them.
import { isZone } from './settle.ts'

/** Zones are named as Rails has them: the last part of their name in the database of zones, or one of these. */
const ZONES = new Map(
  Object.entries({
    'Eastern Time (US & Canada)': 'America/New_York',
    'Central Time (US & Canada)': 'America/Chicago',
    'Mountain Time (US & Canada)': 'America/Denver',
    'Pacific Time (US & Canada)': 'America/Los_Angeles',
    'Atlantic Time (Canada)': 'America/Halifax',
    Arizona: 'America/Phoenix',
    Alaska: 'America/Juneau',
    Hawaii: 'Pacific/Honolulu',
    Brasilia: 'America/Sao_Paulo',
    Edinburgh: 'Europe/London',
    Bern: 'Europe/Zurich',
    Kyiv: 'Europe/Kiev',
    'St. Petersburg': 'Europe/Moscow',
    'Abu Dhabi': 'Asia/Dubai',
    'New Delhi': 'Asia/Kolkata',
    Mumbai: 'Asia/Kolkata',
    Chennai: 'Asia/Kolkata',
    Beijing: 'Asia/Shanghai',
    Osaka: 'Asia/Tokyo',
    Wellington: 'Pacific/Auckland',
  }),
)

/** The zone as the database of zones has it; undefined when it is none. */
export function zoneOf(name: string): string | undefined {
  if (name === '') return 'UTC'
  if (ZONES.has(name)) return ZONES.get(name)
  const tail = `/${name.replaceAll(' ', '_')}`
  return [name, ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.endsWith(tail))].find(isZone)
}
