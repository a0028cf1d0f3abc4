// Converts the names that Rails gives to time zones.
import { isZone } from './settle.ts'

/** Zones with special names. Other zones have the last part of their name in the time zone database. */
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

/** Returns the name of the zone in the time zone database, or undefined if there is none. */
export function zoneOf(name: string): string | undefined {
  if (name === '') return 'UTC'
  if (ZONES.has(name)) return ZONES.get(name)
  const tail = `/${name.replaceAll(' ', '_')}`
  return [name, ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.endsWith(tail))].find(isZone)
}
