import { type AsyncRouteComponent, lazyRouteComponent } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { isReachable, MissingPart } from '#lib/missing-part.ts'

/**
 * A page that is loaded when it is first opened. The router starts the dashboard anew where a part is missing, which is
 * right after an upgrade and would leave an empty window where the connection is lost: then it is a message.
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
