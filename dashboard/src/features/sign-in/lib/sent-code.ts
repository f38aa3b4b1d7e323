export interface SentCode {
  readonly otpId: string
  readonly email: string
}
