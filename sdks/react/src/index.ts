export { type Channel, type Completion, CountersignError, type Phase } from '@countersign/web'
export { CodeInput, type CodeInputProps, type VerificationOfInput } from './code-input.tsx'
export { type UseVerification, useVerification } from './use-verification.ts'
