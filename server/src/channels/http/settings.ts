export {
  type Gateway,
  type GatewayOutcome,
  gatewayOf,
  type HttpSettings,
  httpSettings,
  parseFoundAt,
} from '@countersign/contract'
