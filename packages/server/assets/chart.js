// Draws over the charts that the server has drawn: the same points, to zoom into and to read off.
const numbers = (text) => (text === '' ? [] : text.split(',').map((one) => (one === '' ? null : Number(one))))
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()

/** light-dark() means nothing on a canvas: what it comes to is asked of an element. */
function colour(name) {
  const probe = document.createElement('span')
  probe.style.color = token(name)
  document.body.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

function draw(figure) {
  const { at, avg, max, failures, from, until, gaps } = figure.dataset
  const times = numbers(at)
  if (times.length < 2) return
  const unknown = numbers(gaps)
  const failed = numbers(failures).map((count) => (count > 0 ? count : null))
  const data = wholeTime([Number(from), Number(until)], [times, numbers(avg), numbers(max), failed])
  const axis = { stroke: colour('--ink-2'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } }
  const ms = (_, value) => (value == null ? '–' : `${value} ms`)
  const chart = new uPlot(
    {
      width: figure.clientWidth,
      height: 240,
      scales: { failures: { range: [0, Math.max(10, ...failed) * 8] } },
      hooks: { drawClear: [(chart) => shade(chart, unknown)] },
      axes: [axis, { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => `${tick} ms`) }],
      series: [
        {},
        { label: 'Average', stroke: colour('--link'), width: 2, value: ms },
        {
          label: 'Slowest',
          stroke: colour('--warn'),
          width: 0,
          points: { show: true, size: 4 },
          paths: () => null,
          value: ms,
        },
        {
          label: 'Failed',
          scale: 'failures',
          stroke: colour('--bad'),
          fill: colour('--bad'),
          paths: uPlot.paths.bars({ size: [0.6, 6] }),
          points: { show: false },
          value: (_, count) => count ?? 0,
        },
      ],
    },
    data,
  )
  for (const drawn of figure.querySelectorAll('svg, .ends, p.hint')) drawn.remove()
  figure.append(chart.root)
  const fitting = new ResizeObserver(() => chart.setSize({ width: figure.clientWidth, height: 240 }))
  fitting.observe(figure)
  // A canvas keeps the colours that it was drawn in.
  dark.addEventListener(
    'change',
    () => {
      fitting.disconnect()
      chart.destroy()
      draw(figure)
    },
    { once: true },
  )
}

/** An axis covers the time that was asked for, and not only the part that has data. */
function wholeTime([from, until], [times, ...series]) {
  const [before, after] = [times[0] > from, times.at(-1) < until]
  const padded = (ends, values) => [...(before ? [ends[0]] : []), ...values, ...(after ? [ends[1]] : [])]
  return [padded([from, until], times), ...series.map((values) => padded([null, null], values))]
}

/** Times in which nobody watched, as pairs. */
function shade({ ctx, bbox, valToPos }, pairs) {
  ctx.save()
  ctx.fillStyle = colour('--line')
  for (let index = 0; index + 1 < pairs.length; index += 2) {
    const [left, right] = [valToPos(pairs[index], 'x', true), valToPos(pairs[index + 1], 'x', true)]
    const [begin, end] = [Math.max(left, bbox.left), Math.min(right, bbox.left + bbox.width)]
    if (end > begin) ctx.fillRect(begin, bbox.top, end - begin, bbox.height)
  }
  ctx.restore()
}

const dark = matchMedia('(prefers-color-scheme: dark)')
for (const figure of document.querySelectorAll('figure.chart')) draw(figure)
