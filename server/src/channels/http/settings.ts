export {
  type Gateway,
  type GatewayOutcome,
  gatewayOf,
  type HttpSettings,
  httpSettings,
  parsePlace,
} from '@countersign/contract'
