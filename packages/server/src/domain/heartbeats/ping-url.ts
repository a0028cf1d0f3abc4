/** What a job calls. */
export function pingUrl(public_url: string, token: string): string {
  return `${public_url.replace(/(?<!\/)\/+$/, '')}/ping/${token}`
}
