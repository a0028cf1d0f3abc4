// Draws over the charts that the server has drawn: the same lines and shades, to read off and to zoom into.
const list = (text) => (text === '' ? [] : text.split(','))
const numbers = (text) => list(text).map((one) => (one === '' ? undefined : one === 'x' ? null : Number(one)))
const MOST_LINES = 8
const KINDS = { w: 'Watched', p: 'Not scheduled', m: 'Maintenance' }

/** light-dark() means nothing on a canvas: what it comes to is asked of an element. */
function colour(name) {
  const probe = document.createElement('span')
  probe.style.color = getComputedStyle(document.documentElement).getPropertyValue(name).trim()
  document.body.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

function read({ at, runs, failures, lines, labels, shades, from, until, step, top, zoom }) {
  const segments =
    shades === ''
      ? []
      : shades.split(';').map((one) => {
          const [begin, end, kind, failed, unknown] = one.split(',')
          return { from: Number(begin), until: Number(end), kind, failed: Number(failed), unknown: Number(unknown) }
        })
  return {
    at: numbers(at),
    runs: numbers(runs),
    failures: numbers(failures),
    lines: lines.split(';').map(numbers),
    labels: JSON.parse(labels),
    segments,
    from: Number(from),
    until: Number(until),
    step: Number(step),
    top: Number(top),
    zoom,
  }
}

/** What was the matter at an instant, in words. */
function stateAt(segments, at, step) {
  const one = segments.find(({ from, until }) => from < at + step && at < until)
  if (!one) return ''
  if (one.kind !== 'w') return KINDS[one.kind]
  if (one.unknown >= 1) return 'Not watched'
  return one.unknown > 0 ? `${Math.round(one.unknown * 100)} % not watched` : KINDS.w
}

/**
 * The axis covers the whole range, and every step of it can be pointed at: where nothing was measured, the legend says
 * why.
 */
function wholeRange({ at, lines, runs, failures, from, until, step }) {
  const known = new Map(at.map((sec, index) => [sec, index]))
  const all = new Set(at)
  for (let sec = from; sec < until; sec += step) all.add(sec)
  const times = [...all].sort((a, b) => a - b)
  const pick = (values) => times.map((sec) => (known.has(sec) ? values[known.get(sec)] : undefined))
  return { times, lines: lines.map((values) => broken(pick(values))), runs: pick(runs), failures: pick(failures) }
}

/** From a break to the next value there is no line. */
function broken(values) {
  let isBroken = false
  return values.map((value) => {
    if (value !== undefined) isBroken = value === null
    return isBroken ? null : value
  })
}

/** Times as the page writes them: in the zone of whoever looks, by their clock. */
function clockOf({ in: zone, hours }) {
  const format = (parts) => {
    const one = new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...parts })
    return (sec) => one.format(new Date(sec * 1000))
  }
  const day = format({ day: 'numeric', month: 'short' })
  const hour = hours === '12' ? { hour: 'numeric', hourCycle: 'h12' } : { hour: '2-digit', hourCycle: 'h23' }
  const time = format({ ...hour, minute: '2-digit' })
  const at = (sec) => (sec == null ? '–' : `${day(sec)}, ${time(sec)}`)
  const midnight = (sec) => /^(00:00|12:00 am)$/.test(time(sec))
  return { zone, at, tick: (sec, by) => (by >= 86_400 || midnight(sec) ? day(sec) : time(sec)) }
}

function draw(figure) {
  const chart = read(figure.dataset)
  const clock = clockOf(figure.dataset)
  const whole = wholeRange(chart)
  const { labels, segments, from, until, step, top, zoom } = chart
  const axis = { stroke: colour('--ink-2'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } }
  const ms = (_, value) => (value == null ? '–' : `${value} ms`)
  const ofStep = (values) => (_, __, ___, index) => (index == null ? '' : (values[index] ?? '–'))
  const hidden = { scale: 'none', stroke: 'transparent', points: { show: false }, paths: () => null }
  const nothing = whole.times.map(() => null)
  const fills = Object.fromEntries(
    ['failed', 'unknown', 'paused', 'maintenance'].map((kind) => [kind, colour(`--shade-${kind}`)]),
  )
  const plot = new uPlot(
    {
      width: figure.clientWidth,
      height: 260,
      tzDate: (sec) => uPlot.tzDate(new Date(sec * 1000), clock.zone),
      scales: { x: { range: () => [from, until] }, y: { range: () => [0, top] }, none: { range: () => [0, 1] } },
      cursor: { drag: { x: true, y: false, setScale: false } },
      hooks: {
        drawClear: [(one) => shade(one, segments, fills)],
        setSelect: [(one) => openRange(one, zoom, step)],
        // A legend that points at nothing has nothing to say but the names of the lines.
        setLegend: [(one) => figure.classList.toggle('is-read', one.cursor.idx != null)],
      },
      axes: [
        { ...axis, values: (_, ticks, __, ___, by) => ticks.map((sec) => clock.tick(sec, by)) },
        { ...axis, size: 72, values: (_, ticks) => ticks.map((tick) => `${tick} ms`) },
      ],
      series: [
        { label: 'From', value: (_, sec) => clock.at(sec) },
        ...labels.map((label, index) => ({
          label,
          stroke: colour(`--series-${Math.min(index + 1, MOST_LINES)}`),
          width: 1.5,
          // A line of one point is not drawn: between two gaps it is a dot.
          points: { size: 5, fill: colour(`--series-${Math.min(index + 1, MOST_LINES)}`), filter: aloneIn },
          value: ms,
        })),
        { ...hidden, label: 'Runs', value: ofStep(whole.runs) },
        { ...hidden, label: 'Failed', value: ofStep(whole.failures) },
        { ...hidden, label: 'State', value: ofStep(whole.times.map((sec) => stateAt(segments, sec, step))) },
      ],
      // Between the median and the 95th percentile.
      bands: figure.classList.contains('spread') ? [{ series: [2, 1], fill: colour('--band') }] : [],
    },
    [whole.times, ...whole.lines, nothing, nothing, nothing],
  )
  // Its own legend names the lines.
  for (const drawn of figure.querySelectorAll('.plot, .ends')) drawn.remove()
  for (const key of figure.parentElement.querySelectorAll('.legend .line')) key.closest('li').remove()
  figure.append(plot.root)
  const fitting = new ResizeObserver(() => plot.setSize({ width: figure.clientWidth, height: 260 }))
  fitting.observe(figure)
  // A canvas keeps the colours that it was drawn in.
  dark.addEventListener(
    'change',
    () => {
      fitting.disconnect()
      plot.destroy()
      // A live change may have put another figure in its place.
      if (figure.isConnected) draw(figure)
    },
    { once: true },
  )
}

/** The places of a line between two breaks. Turns of other monitors are no break. */
function aloneIn(plot, line) {
  const values = plot.data[line]
  const known = values.flatMap((value, at) => (value === undefined ? [] : [at]))
  return known.filter((at, i) => values[at] !== null && values[known[i - 1]] == null && values[known[i + 1]] == null)
}

/** What was marked with the mouse becomes the range of the page. */
function openRange(plot, path, step) {
  const { left, width } = plot.select
  if (width < 5) return
  const [from, until] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')]
  const text = (sec) => new Date(Math.round(sec / step) * step * 1000).toISOString()
  if (Math.round(until / step) > Math.round(from / step))
    location.assign(`${path}?${new URLSearchParams({ from: text(from), to: text(until) })}`)
}

/** Unknown time from above, failures from below: as much of the height as their share. */
function shade({ ctx, bbox, valToPos }, segments, fills) {
  const least = 6 * devicePixelRatio
  const fill = (kind, left, right, top, height) => {
    ctx.fillStyle = fills[kind]
    ctx.fillRect(left, top, Math.max(right - left, 1), height)
  }
  ctx.save()
  for (const { from, until, kind, failed, unknown } of segments) {
    const left = Math.max(valToPos(from, 'x', true), bbox.left)
    const right = Math.min(valToPos(until, 'x', true), bbox.left + bbox.width)
    if (right < left) continue
    if (kind !== 'w') fill(kind === 'p' ? 'paused' : 'maintenance', left, right, bbox.top, bbox.height)
    if (unknown > 0) fill('unknown', left, right, bbox.top, Math.max(least, unknown * bbox.height))
    if (failed > 0) {
      const height = Math.max(least, failed * bbox.height)
      fill('failed', left, right, bbox.top + bbox.height - height, height)
    }
  }
  ctx.restore()
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const drawAll = () => {
  for (const figure of document.querySelectorAll('figure.chart:has(.plot)')) draw(figure)
}
drawAll()
// A page that is open gets a new chart from the server when something changed.
document.addEventListener('live', drawAll)
