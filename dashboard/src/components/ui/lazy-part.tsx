import { type ComponentType, useEffect, useState } from 'react'
import { Problem } from './problem.tsx'

type State<Props> =
  | { readonly Part: ComponentType<Props> }
  | { readonly error: unknown }
  | { readonly isWaiting: true }

/** A part that is loaded when it is first shown. What cannot be loaded can be tried again; what is typed stays. */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Waiting?: ComponentType<Props>,
) {
  return function LazyPart(props: Props) {
    const [state, setState] = useState<State<Props>>({ isWaiting: true })
    const isWaiting = 'isWaiting' in state
    useEffect(() => {
      if (!isWaiting) return
      let isHere = true
      load().then(
        (Part) => isHere && setState({ Part }),
        (error: unknown) => isHere && setState({ error }),
      )
      return () => {
        isHere = false
      }
    }, [isWaiting])
    if ('Part' in state) return <state.Part {...props} />
    return (
      <>
        {Waiting && <Waiting {...props} />}
        {'error' in state && (
          <Problem
            error={state.error}
            title="This part could not be loaded"
            onRetry={() => setState({ isWaiting: true })}
            className="border-0"
          />
        )}
      </>
    )
  }
}
