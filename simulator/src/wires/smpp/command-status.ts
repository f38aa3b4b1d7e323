export const OK = 0x00
export const INVALID_COMMAND = 0x03
export const WRONG_BIND_STATE = 0x04
export const ALREADY_BOUND = 0x05
export const INVALID_DESTINATION = 0x0b
export const WRONG_PASSWORD = 0x0e
export const UNKNOWN_SYSTEM_ID = 0x0f
export const SUBMIT_FAILED = 0x45
