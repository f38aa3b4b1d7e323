import { getRaw } from './api.js'
import { codeButton, findCode, withCodes } from './codes.js'
import { make } from './elements.js'
import { showTime } from './format.js'

export function drawMessage(message) {
  if (message.isMissed) return drawMissed(message)
  return message.channel === 'email' ? drawMail(message) : drawBubble(message)
}

/** A note that a message never arrived, for people who wait for it. */
function drawMissed(message) {
  const time = make('time', { dateTime: message.at }, showTime(message.at))
  return make('p', { className: 'missed', data: { id: message.id } }, message.text, ' ', time)
}

/** The message as the carrier received it, fetched when somebody opens it. */
function drawRaw(message) {
  const content = make('div', { className: 'raw-content' })
  const details = make('details', { className: 'raw' }, make('summary', {}, 'Raw'), content)
  details.addEventListener('toggle', () => {
    if (details.open && content.childElementCount === 0) showRaw(message, content)
  })
  return details
}

async function showRaw(message, content) {
  try {
    const { text, segments = [] } = await getRaw(message.id)
    const octets = segments.reduce((sum, segment) => sum + segment.octets, 0)
    const heading = `${segments.length} ${segments.length === 1 ? 'segment' : 'segments'}, ${segments[0]?.encoding}, ${octets} octets`
    content.replaceChildren(
      ...(segments.length > 0 ? [make('p', {}, heading), ...segments.map(drawSegment)] : []),
      make('pre', { tabIndex: 0 }, text),
    )
  } catch (error) {
    content.replaceChildren(make('p', {}, error.message))
  }
}

const drawSegment = ({ text, octets }, index) =>
  make('pre', { tabIndex: 0 }, `${index + 1} (${octets} octets): ${text}`)

function drawBubble(message) {
  const content = message.isOwn ? [message.text] : withCodes(message.text)
  const time = make('time', { dateTime: message.at }, showTime(message.at))
  const className = message.isOwn ? 'bubble out' : 'bubble'
  const raw = message.isOwn ? [] : [drawRaw(message)]
  return make('div', { className, data: { id: message.id } }, ...content, time, ...raw)
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
    drawRaw(message),
  )
}

/** The mail in a frame: without scripts, but same-origin, so that it can be measured and needs no scroll bar. */
function drawFrame(message) {
  const frame = make('iframe', { title: message.subject || 'Mail', src: `/messages/${message.id}/html` })
  frame.setAttribute('sandbox', 'allow-same-origin')
  frame.addEventListener('load', () => {
    const height = frame.contentDocument?.documentElement?.scrollHeight
    if (height) frame.style.height = `${height + 2}px`
  })
  return frame
}
