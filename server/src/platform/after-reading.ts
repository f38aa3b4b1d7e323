/**
 * After a pause of the process (a container that was throttled, a machine that slept), timers fire before what has
 * arrived meanwhile is read. A time limit that says "there was no answer" therefore looks at its sockets once more.
 */

/** The first turn reads the sockets, the second is for what passes an answer on a turn later. */
const turns = 2

/** Calls back when everything that has arrived by now has been read. The returned function cancels that. */
export function afterReading(callback: () => void): () => void {
  let left = turns
  let waiting = setImmediate(turn)
  function turn(): void {
    left--
    if (left === 0) callback()
    else waiting = setImmediate(turn)
  }
  return () => clearImmediate(waiting)
}
