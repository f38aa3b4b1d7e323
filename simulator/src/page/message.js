import { codeButton, findCode, withCodes } from './codes.js'
import { make } from './elements.js'
import { showTime } from './format.js'

export function drawMessage(message) {
  return message.channel === 'email' ? drawMail(message) : drawBubble(message)
}

function drawBubble(message) {
  const content = message.isOwn ? [message.text] : withCodes(message.text)
  const time = make('time', { dateTime: message.at }, showTime(message.at))
  const className = message.isOwn ? 'bubble out' : 'bubble'
  return make('div', { className, data: { id: message.id } }, ...content, time)
}

function drawMail(message) {
  const code = findCode(`${message.subject ?? ''}\n${message.text}`)
  const letterhead = make(
    'p',
    { className: 'letterhead' },
    make('span', {}, message.from),
    make('time', { dateTime: message.at }, showTime(message.at)),
  )
  return make(
    'article',
    { className: 'mail', data: { id: message.id } },
    make('h3', {}, message.subject || 'No subject'),
    letterhead,
    ...(code === null ? [] : [codeButton(code)]),
    message.hasHtml ? drawFrame(message) : make('div', { className: 'letter' }, message.text),
  )
}

/** The mail's own page: without scripts, but measurable, so that it needs no scroll bar. */
function drawFrame(message) {
  const frame = make('iframe', { title: message.subject || 'Mail', src: `/messages/${message.id}/html` })
  frame.setAttribute('sandbox', 'allow-same-origin')
  frame.addEventListener('load', () => {
    const height = frame.contentDocument?.documentElement?.scrollHeight
    if (height) frame.style.height = `${height + 2}px`
  })
  return frame
}
