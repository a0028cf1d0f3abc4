// A file is read into the text that is sent.
for (const place of document.querySelectorAll('[data-into]')) {
  const text = document.getElementById(place.dataset.into)
  place.hidden = false
  place.querySelector('input').addEventListener('change', (event) => {
    void event.target.files[0]?.text().then((content) => (text.value = content))
  })
}
