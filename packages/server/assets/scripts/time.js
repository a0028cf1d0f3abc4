// The local time of each moment, on hover.
for (const time of document.querySelectorAll('time[data-relative]')) {
  time.title = new Date(time.dateTime).toLocaleString()
}
