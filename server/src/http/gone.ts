/** Finds out during a long call that its caller is gone. */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** A caller that is gone is found at the second question: the first one is answered by a reset, which fails it. */
const askEveryMs = 250

/**
 * Destroys the response of a caller that is gone. One that has closed its side may still read; only writing to it tells
 * the two apart. What is written is an interim answer, which the final one follows. RFC 9110 §15.2: a caller with
 * HTTP/1.0 gets none, and counts as present.
 */
export function watchForGone(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  if (request.httpVersion !== '1.1') return
  let asking: NodeJS.Timeout | undefined
  const ask = () => {
    if (!response.headersSent) response.writeProcessing()
  }
  const begin = () => {
    ask()
    asking = setInterval(ask, askEveryMs)
  }
  if (socket.readableEnded) begin()
  else socket.once('end', begin)
  response.once('close', () => {
    socket.off('end', begin)
    clearInterval(asking)
  })
}
