// The menu on phones: Escape closes it. The menus of the sidebar close when something else is clicked.
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  if (location.hash === '#menu') location.hash = '#main'
  for (const menu of document.querySelectorAll('.side details[open]')) menu.open = false
})
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('.side details[open]')) {
    if (!menu.contains(event.target)) menu.open = false
  }
})
