import type { EndpointAnswer } from '@countersign/contract'

/** What a call about one endpoint names. */
export interface EndpointParams {
  readonly app_id: string
  readonly endpoint_id: string
}

export const paramsOf = (appId: string, { endpoint_id }: EndpointAnswer): EndpointParams => ({
  app_id: appId,
  endpoint_id,
})
