// What scrolls sideways is scrolled by keyboard, too, in browsers that do not see to it themselves.
const letIn = () => {
  for (const place of document.querySelectorAll('.scroll')) {
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0
    else place.removeAttribute('tabindex')
  }
}
letIn()
window.addEventListener('resize', letIn)
document.addEventListener('live', letIn)
