import type { EndpointAnswer } from '@countersign/contract'

/** The path parameters of a call about one endpoint. */
export interface EndpointParams {
  readonly app_id: string
  readonly endpoint_id: string
}

export const paramsOf = (appId: string, { endpoint_id }: EndpointAnswer): EndpointParams => ({
  app_id: appId,
  endpoint_id,
})
