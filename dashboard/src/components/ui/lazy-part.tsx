import { type ComponentType, useEffect, useState } from 'react'
import { FirstLoad, Problem } from './problem.tsx'

type State<Props> =
  | { readonly Part: ComponentType<Props> }
  | { readonly error: unknown }
  | { readonly isWaiting: true; readonly failed?: unknown }

/** Most browsers name the file in their error message. */
const fileIn = (error: unknown) =>
  error instanceof Error ? /https?:\S+?\.js\b/.exec(error.message)?.[0] : undefined

/** A browser does not try again to import a module that failed, except under another address. */
async function loadAgain<Module>(failed: unknown): Promise<Module> {
  const file = fileIn(failed)
  if (!file) {
    location.reload()
    throw failed
  }
  return import(/* @vite-ignore */ `${file}?again=${Date.now()}`)
}

/** A component that is loaded when it is first shown. If that fails, one can try again without losing what is typed. */
export function lazyPart<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  Waiting?: ComponentType<Props>,
) {
  return function LazyPart(props: Props) {
    const [state, setState] = useState<State<Props>>({ isWaiting: true })
    useEffect(() => {
      if (!('isWaiting' in state)) return
      let isHere = true
      const loading = state.failed === undefined ? load() : loadAgain<Module>(state.failed)
      loading.then(
        (module) => isHere && setState({ Part: pick(module) }),
        (error: unknown) => isHere && setState({ error }),
      )
      return () => {
        isHere = false
      }
    }, [state])
    if ('Part' in state) return <state.Part {...props} />
    return (
      <>
        {Waiting && (
          <FirstLoad isOver={'error' in state || state.failed !== undefined}>
            <Waiting {...props} />
          </FirstLoad>
        )}
        {'error' in state && (
          <Problem
            error={state.error}
            title="This part could not be loaded"
            onRetry={() => setState({ isWaiting: true, failed: state.error })}
            className="border-0"
          />
        )}
      </>
    )
  }
}
