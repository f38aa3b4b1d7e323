import { clearMessages } from './api.js'
import { announce, byId } from './elements.js'
import { changed, setFollowing, state } from './state.js'

/** The filters of the list, whether the phone follows new messages, and clearing them. */
export function startSifting() {
  byId('search').addEventListener('input', ({ target }) => {
    state.search = target.value
    changed()
  })
  byId('only-channel').addEventListener('change', ({ target }) => {
    state.onlyChannel = target.value
    changed()
  })
  byId('follow').checked = state.isFollowing
  byId('follow').addEventListener('change', ({ target }) => setFollowing(target.checked))
  byId('clear-messages').addEventListener('click', () => {
    clearMessages().then(
      () => announce('All messages cleared'),
      (error) => announce(error.message),
    )
  })
}
