/** Talks SMTP to a mail server, line by line. */
import { connect } from 'node:net'

const limitMs = 20_000

/** Sends each line after the reply to the one before. Resolves to the reply codes, beginning with the greeting's. */
export function converse(port: number, lines: readonly string[]): Promise<number[]> {
  return new Promise((resolve, reject) => {
    const replies: number[] = []
    const left = [...lines]
    const socket = connect(port, '127.0.0.1')
    let unread = ''
    socket.setEncoding('utf8')
    socket.setTimeout(limitMs, () => socket.destroy(new Error('the mail server says nothing')))
    socket.once('error', reject)
    socket.once('close', () => resolve(replies))
    socket.on('data', (text: string) => {
      unread += text
      // A hyphen after the code means that more lines of the same reply follow.
      for (
        let found = /^(\d{3})([ -]).*\r\n/.exec(unread);
        found;
        found = /^(\d{3})([ -]).*\r\n/.exec(unread)
      ) {
        unread = unread.slice(found[0].length)
        if (found[2] === '-') continue
        replies.push(Number(found[1]))
        const next = left.shift()
        if (next === undefined) socket.end()
        else socket.write(`${next}\r\n`)
      }
    })
  })
}
