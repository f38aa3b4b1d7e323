import { type AsyncRouteComponent, lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { isReachable, MissingPart } from '#lib/missing-part.ts'

/**
 * A page that is loaded when it is first opened. The router reloads the dashboard if a script is missing. That is right
 * after an upgrade, but without a connection it would leave an empty window, so then an error is shown instead.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Record<Name, ComponentType>>,
  name: Name,
): AsyncRouteComponent<object> {
  const loadOrSay = async () => {
    try {
      return await load()
    } catch (error) {
      throw (await isReachable()) ? error : new MissingPart({ cause: error })
    }
  }
  return lazyRouteComponent(loadOrSay, name)
}
