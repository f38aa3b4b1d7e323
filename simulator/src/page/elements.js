/** Makes an element; children that are text stay text, whatever they contain. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'data') Object.assign(element.dataset, value)
    else if (key === 'on')
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener)
    else if (key in element) element[key] = value
    else element.setAttribute(key, value)
  }
  element.append(...children)
  return element
}

const SVG = 'http://www.w3.org/2000/svg'

export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('aria-hidden', 'true')
  const use = document.createElementNS(SVG, 'use')
  use.setAttribute('href', `#icon-${name}`)
  svg.append(use)
  return svg
}

export function byId(id) {
  const element = document.getElementById(id)
  if (element === null) throw new Error(`the page has no #${id}`)
  return element
}

export function announce(text) {
  byId('announcer').textContent = text
}
