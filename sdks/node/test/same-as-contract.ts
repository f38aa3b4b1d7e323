/** Fails to compile if this package's types differ from the API's. Nothing here runs. */
import type {
  ChannelName,
  LimitScope as ContractLimitScope,
  WebhookEvent as ContractWebhookEvent,
  ExchangeAnswer,
  operations,
  RuleResult as RuleAnswer,
  StatusAnswer,
  VerificationAnswer,
  VerifyAnswer,
} from '@countersign/contract'
import type { z } from 'zod'
import type {
  Channel,
  Decisions,
  LimitScope,
  Preview,
  PreviewRequest,
  ProvenRecipient,
  ResendRequest,
  RuleResult,
  SendRequest,
  Verification,
  VerificationDetails,
  VerifyRequest,
  VerifyResult,
  WebhookEvent,
} from '../src/index.ts'

type CamelName<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelName<Tail>>}`
  : Name
/** Rules are compared separately, below, since the facts of each are different. */
interface AsIs {
  details: Record<string, unknown>
  rules: RuleResult[]
  decision: RuleResult[]
}
type Camel<Value> = Value extends readonly (infer Item)[]
  ? Camel<Item>[]
  : Value extends object
    ? { [Name in keyof Value as CamelName<Name>]: Name extends keyof AsIs ? AsIs[Name] : Camel<Value[Name]> }
    : Value
/** Writes out intersections and interfaces, so that only the shape is compared. */
type Plain<Value> = Value extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Value extends object
    ? { [Name in keyof Value]: Plain<Value[Name]> }
    : Value
type Equal<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends <T>() => T extends Plain<Other> ? 1 : 2 ? true : false
type Answer<Name extends keyof typeof operations> = Camel<z.infer<(typeof operations)[Name]['answer']>>
type Body<Name extends 'send' | 'resend' | 'verify' | 'preview'> = Camel<
  z.infer<(typeof operations)[Name]['body']>
>

const same = <_Claim extends true>() => undefined

same<Equal<Verification, Camel<VerificationAnswer>>>()
same<Equal<VerificationDetails, Camel<StatusAnswer>>>()
same<Equal<VerifyResult, Camel<VerifyAnswer>>>()
same<Equal<ProvenRecipient, Camel<ExchangeAnswer>>>()
same<Equal<keyof RuleResult, keyof RuleAnswer>>()
same<RuleAnswer extends RuleResult ? true : false>()
same<Equal<Decisions, Answer<'decision'>>>()
same<Equal<Preview, Answer<'preview'>>>()
same<Equal<WebhookEvent, Camel<ContractWebhookEvent>>>()
same<Equal<Channel, ChannelName>>()
same<Equal<LimitScope, ContractLimitScope>>()

// Requests also allow an explicit undefined, which JSON leaves out.
same<Equal<Required<SendRequest>, { [K in keyof Body<'send'>]-?: SendRequest[K] }>>()
same<Equal<keyof SendRequest, keyof Body<'send'>>>()
same<Equal<keyof ResendRequest, keyof Body<'resend'>>>()
same<Equal<keyof VerifyRequest, keyof Body<'verify'>>>()
same<Equal<keyof PreviewRequest, keyof Body<'preview'>>>()
