// Relative times go on while a page is open, and the server is told which time zone and clock this browser has.
const STEPS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
]

/** `3 h 20 min`: the two largest units. */
const span = (sec) => {
  let rest = Math.max(0, Math.round(sec))
  const words = []
  for (const [size, unit] of STEPS) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) words.push(`${count} ${unit}`)
    else if (words.length > 0) break
    if (words.length === 2) break
  }
  return words.join(' ') || '0 s'
}

// The server's clock counts, not the browser's.
const ahead_ms = Date.now() - Date.parse(document.querySelector('meta[name=now]')?.content ?? new Date())

/** Only what has changed is written: whoever listens to a page is not to hear all of it again. */
const write = (time, text) => {
  if (time.textContent !== text) time.textContent = text
}

const tell = () => {
  // Nothing is known of now while the connection is lost.
  if (document.hidden || document.documentElement.classList.contains('is-lost')) return
  const now_ms = Date.now() - ahead_ms
  for (const time of document.querySelectorAll('time[data-relative]')) {
    const sec = (now_ms - Date.parse(time.dateTime)) / 1_000
    const relative = sec < 0 ? `in ${span(-sec)}` : sec < 5 ? 'just now' : `${span(sec)} ago`
    const comma = time.textContent.indexOf(',')
    write(time, comma < 0 ? relative : relative + time.textContent.slice(comma))
  }
  for (const time of document.querySelectorAll('time[data-lasting]')) {
    write(time, span((now_ms - Date.parse(time.dateTime)) / 1_000))
  }
}
setInterval(tell, 5_000)
document.addEventListener('visibilitychange', tell)

const { timeZone, hourCycle } = new Intl.DateTimeFormat(undefined, { hour: 'numeric' }).resolvedOptions()
const isSecure = location.protocol === 'https:'
const cookie = `${isSecure ? '__Host-' : ''}dogwatch-zone=${encodeURIComponent(`${timeZone} ${/1[12]/.test(hourCycle) ? 12 : 24}`)}`
if (timeZone && !document.cookie.split('; ').includes(cookie)) {
  document.cookie = `${cookie}; Path=/; Max-Age=31536000; SameSite=Lax${isSecure ? '; Secure' : ''}`
  // The first page of a browser is in UTC.
  const zone = document.querySelector('[data-zone]')?.dataset.zone
  if (zone !== undefined && zone !== timeZone) document.dispatchEvent(new Event('live-refresh'))
}
