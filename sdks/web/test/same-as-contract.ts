/** Fails to compile if what this package reads differs from what the API answers. Nothing here runs. */
import type {
  DeviceStatusAnswer,
  VerificationAnswer,
  VerifyAnswer as VerifyBody,
} from '@countersign/contract'
import type { SentAnswer, StatusAnswer, VerifyAnswer } from '../src/api.ts'

type Plain<Value> = { -readonly [Name in keyof Value]: Value[Name] }
type Equal<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends <T>() => T extends Plain<Other> ? 1 : 2 ? true : false

const same = <_Claim extends true>() => undefined

same<Equal<SentAnswer, VerificationAnswer>>()
same<Equal<StatusAnswer, DeviceStatusAnswer>>()
same<Equal<VerifyAnswer, VerifyBody>>()
